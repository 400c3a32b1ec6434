"""How a command-line program here ends: quietly, also on Ctrl-C or when nobody reads its output any more.

Wrong use is told in one sentence: `Parser` raises it as WrongUse, for `main` to print, with exit code 2.

A letter that the terminal's encoding lacks is shown or read as its escape, instead of ending the program. A stream that
the shell closed (`>&-`) reads as empty and takes what is written to it. Output that cannot be written, to a full
disk for example, is told in one sentence.

    if __name__ == "__main__":
        raise SystemExit(run_as_program(main))
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from typing import NoReturn


class WrongUse(Exception):
    """What was asked for makes no sense or cannot be done; the text is one sentence for the person."""


class Parser(argparse.ArgumentParser):
    """Raises WrongUse where argparse would print its usage and end the program."""

    def error(self, message: str) -> NoReturn:
        """Raise WrongUse with the message as a sentence, and where help is."""
        raise WrongUse(f"{message[:1].upper()}{message[1:]}. See python {self.prog} --help.")


def run_as_program(main: Callable[[list[str]], int]) -> int:
    """Call `main` with the command line's arguments; its exit code, 130 on Ctrl-C, 1 when its output is lost."""
    _replace_closed_streams()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        give_up_output(error)
        return 1


def give_up_output(error: OSError) -> None:
    """Send what is still to be printed nowhere, because of `error`, and tell it unless the reader just went away."""
    with contextlib.suppress(OSError):  # a stream in memory, in a test, has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):  # as in `… | head -1`; nothing is left to be told
        with contextlib.suppress(OSError):
            print(f"The program could not read or write: {error}.", file=sys.stderr, flush=True)


def _replace_closed_streams() -> None:
    """Python has None in the place of a stream that was closed before it started."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
