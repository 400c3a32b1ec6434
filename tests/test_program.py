"""agents/program.py: how every command-line program here ends, seen from outside as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def process(body: str, closed: str = "", **environment: str) -> subprocess.Popen:
    """Start a program whose `main` has `body`; `closed` is what a shell does with its streams."""
    program = f"import sys\nfrom agents.program import run_as_program\ndef main(argv):\n    {body}\n"
    program += "raise SystemExit(run_as_program(main))"
    command = [sys.executable, "-c", program]
    if closed:
        command = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *command]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, **both)


@pytest.mark.parametrize("code", [0, 1, 2])
def test_exit_code_is_what_main_returns(code):
    with process(f"return {code}") as program:
        assert program.communicate(timeout=60) == (b"", b"")
        assert program.returncode == code


def test_interrupt_is_130_without_a_traceback():
    with process("raise KeyboardInterrupt") as program:
        assert program.communicate(timeout=60) == (b"", b"")
        assert program.returncode == 130


def test_reader_that_goes_away_makes_no_traceback():
    with process("[print('x' * 1000) for _ in range(1000)]; return 0") as program:
        program.stdout.read(10)
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait(60) == 1


def test_letter_that_the_terminal_lacks_is_shown_as_its_escape():
    with process("print('\\u00bd of \\u2192'); return 0", PYTHONIOENCODING="ascii") as program:
        assert program.communicate(timeout=60) == (b"\\xbd of \\u2192\n".replace(b"\n", os.linesep.encode()), b"")
        assert program.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="only on POSIX: a shell closes the streams")
def test_streams_closed_by_the_shell_read_as_empty_and_take_what_is_written(tmp_path):
    found = tmp_path / "found"
    body = f"print('a'); print('b', file=sys.stderr); open({str(found)!r}, 'w').write(repr(sys.stdin.read())); return 0"
    with process(body, closed="<&- >&- 2>&-") as program:
        assert program.communicate(timeout=60) == (b"", b"")
        assert program.returncode == 0
    assert found.read_text(encoding="utf-8") == "''"


@pytest.mark.skipif(os.name != "posix", reason="only on POSIX: a shell closes the streams")
def test_question_without_a_keyboard_is_the_end_of_input():
    body = "try: input('Well? ')\n    except EOFError: return 7"
    with process(body, closed="<&-") as program:
        assert program.communicate(timeout=60) == (b"Well? ", b"")
        assert program.returncode == 7


@pytest.mark.skipif(os.name != "posix", reason="only on POSIX: a shell closes the streams")
def test_answer_in_another_encoding_is_read_as_its_escape():
    body = "print(repr(input())); return 0"
    with process(body, closed="<<'end'\ns\u00ed\nend\n", PYTHONIOENCODING="ascii") as program:
        assert program.communicate(timeout=60) == (b"'s\\\\xc3\\\\xad'\n", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only on systems with a device that is always full")
@pytest.mark.parametrize("body", ["print('a'); return 0", "print('a', flush=True); return 0"])
def test_output_that_cannot_be_written_is_told_in_one_sentence(body):
    with process(body, closed=">/dev/full") as program:
        assert program.communicate(timeout=60)[1].decode().count("\n") == 1
        assert program.returncode == 1


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
