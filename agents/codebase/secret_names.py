"""Which names hold secrets, and which folders are never entered.

A name is judged as the most forgiving file system would read it: without regard to capitals or to
Unicode look-alikes, without trailing dots and spaces, without an NTFS stream (`server.pem::$DATA`),
and without the ending of a backup copy (`server.key.bak`).

It does NOT read files: a password inside an ordinary source file is not noticed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache

NEVER_ENTERED = frozenset({".git", "venv", "__pycache__", "node_modules"})
"""Folders (or files) of these names are closed wherever they stand."""

NEVER_ENTERED_AT_ROOT = frozenset({"data"})
"""And these at the root only: `data/` is where a project of the course keeps what its runs produce."""

SECRET_FOLDERS = frozenset(
    {
        ".aws",
        ".azure",
        ".docker",
        ".gcloud",
        ".gnupg",
        ".kube",
        ".password-store",
        ".secrets",
        ".ssh",
        "secrets",
        "private_keys",
    }
)
"""Everything below a folder of one of these names is closed."""

_SECRET_PLACES = (
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".composer/auth.json",
    ".config/gcloud/*",
    ".config/gh/hosts.yml",
    ".config/rclone/*",
    ".gem/credentials",
    ".gradle/gradle.properties",
    ".m2/settings.xml",
)

_SECRET_FILES = (
    # keys and key stores
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.pkcs8",
    "*.pkcs12",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdb",
    "*.kdbx",
    "*.keytab",
    "*.gpg",
    "*.ovpn",
    "wallet.dat",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    # environments
    ".env",
    ".env.*",
    ".env-*",
    ".env_*",
    "*.env",
    ".envrc",
    ".dev.vars",
    "*.env.local",
    "local.settings.json",
    # clients that keep a password or token
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".git-credentials",
    ".dockercfg",
    ".vault-token",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".htpasswd",
    ".htdigest",
    ".s3cfg",
    ".boto",
    ".databrickscfg",
    ".sentryclirc",
    ".terraformrc",
    "terraform.rc",
    "rclone.conf",
    ".condarc",
    # credentials under their own name
    "credentials",
    "credentials.*",
    "*credentials.json",
    "service-account*.json",
    "service_account*.json",
    "*serviceaccount*.json",
    "client_secret*.json",
    "*firebase-adminsdk*.json",
    "secret.*",
    "secrets.*",
    # state files, which hold the secrets of what they describe
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    # what a person typed
    ".*_history",
    ".*-history",
    ".lesshst",
    ".viminfo",
)
_PROGRAM_ENDINGS = """
    c cc cpp cs go h hpp html java js jsx kt lua md php pl py pyi rb rs rst scala sh swift ts tsx
"""
_PROGRAMS = frozenset(_PROGRAM_ENDINGS.split())
"""`secrets.py` and `credentials.go` are programs about secrets; `secrets.yaml` is one."""

_BACKUP = re.compile(r"(?:\.(?:bak|backup|old|orig|save|saved|copy|tmp|swp|swo|\d+)|~)+$")
_SHORT_NAME = re.compile(r"[^./]{1,8}~\d+(?:\.[^./]{0,3})?$")
_matches_file = re.compile("|".join(translate(pattern) for pattern in _SECRET_FILES)).match
_matches_place = re.compile("|".join(translate(pattern) for pattern in _SECRET_PLACES)).match


def plain(name: str) -> str:
    """One name as the most forgiving file system reads it."""
    name = unicodedata.normalize("NFKC", name).casefold()
    name = name.split(":", 1)[0] or name
    return name.rstrip(". ") or name


def closed_because(parts: Sequence[str]) -> str | None:
    """Why the file or folder at these path parts (below the root) is closed, or None when it is open."""
    for depth, part in enumerate(parts):
        reason = name_closed_because(part, at_root=depth == 0)
        if reason:
            return reason
    names = [_BACKUP.sub("", plain(part)) for part in parts]
    if any(_matches_place("/".join(names[depth:])) for depth in range(len(names))):
        return f"{'/'.join(parts)} may hold secrets"
    return None


@lru_cache(maxsize=4096)
def name_closed_because(part: str, at_root: bool) -> str | None:
    """`closed_because` for one name, wherever it stands but for the difference that the root makes."""
    name = plain(part)
    if name in NEVER_ENTERED or (at_root and name in NEVER_ENTERED_AT_ROOT):
        return f"{part} is never listed or read"
    if name in SECRET_FOLDERS or _BACKUP.sub("", name) in SECRET_FOLDERS:
        return f"{part} is a place for secrets"
    if _is_secret(name) or _is_secret(_BACKUP.sub("", name)):
        return f"{part} may hold secrets"
    if _SHORT_NAME.match(part):
        return f"{part} looks like the short form of another name: write that name in full"
    return None


def _is_secret(name: str) -> bool:
    ending = name.rpartition(".")[2]
    is_program = ending in _PROGRAMS and not name.startswith(".")
    return bool(_matches_file(name)) and not is_program
