"""What the fence refuses, in words for a model, and names as they are shown to it.

A refusal says what was wrong, with which name, and what to do instead. Names come from the folder and may
hold anything; what is shown of them can be printed, sent as JSON, and told apart.
"""

from __future__ import annotations

import errno
import re


class Refused(Exception):
    """The fence said no. The text says why, in words for the model."""


def reason_of(error: OSError | ValueError, where: str, wanted: str = "file") -> str:
    """Why the file or folder `where` could not be opened, and what to do."""
    code = getattr(error, "errno", None)
    name = shown(where) or "."
    if code in (errno.ELOOP, errno.EMLINK):
        return f"{name} is a link, and links are not followed."
    if code == errno.ENOTDIR and wanted == "folder":
        return f"{name} is not a folder (or is a link, and links are not followed). To see a file, use read_file."
    if code in (errno.ENOENT, errno.ENOTDIR):
        return f"There is no {wanted} {name}. Use list_files or search_files to see what there is."
    if code == errno.EISDIR:
        return f"{name} is a folder, not a file. Use list_files to see what is in it."
    if code in (errno.EACCES, errno.EPERM):
        return f"{name} may not be read by this user."
    return f"{name} could not be opened: {getattr(error, 'strerror', None) or error}."


INVISIBLE = (
    "\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"
)
"""Ranges of a regular expression's class: what steers a terminal, turns the direction of writing, or hides text."""
_UNSHOWN = re.compile(f"[\x00-\x1f\\\\{INVISIBLE}]")


def shown(name: str) -> str:
    r"""A name or path for people, models and JSON: control characters and broken bytes as `\x1b`, `\xff`.

    Different names are shown differently, since a backslash is escaped too.
    """
    return _UNSHOWN.sub(escaped, name)


def escaped(match: re.Match[str]) -> str:
    r"""The one character of `match` as `\x1b`, `\u202e` or `\U000e0041`, a broken byte as `\xff`."""
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that is no valid UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
