"""Files that are whole or not there at all: agentkit/files.py and what stands on it.

Processes, full disks and folders that may not be written are real ones here: children of this test, a limit on the size
of files that the kernel holds, permissions of an ordinary user.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import Notebook, Tracer
from agentkit.errors import AgentkitError, DamagedFile
from agentkit.files import claim_stamp, locked, read_json, write_json, write_whole

PROCESSES = 8
MOMENT = datetime(2026, 10, 28, 14, 5, 1, tzinfo=timezone.utc)
on_posix = pytest.mark.skipif(os.name != "posix", reason="only on POSIX")


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A child process that runs `code` with agentkit on its path."""
    code = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{code}"
    child = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(child, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outputs(children: list[subprocess.Popen[str]]) -> list[str]:
    """What the children printed; all must have ended well."""
    found = []
    for child in children:
        out, err = child.communicate(timeout=300)
        assert child.returncode == 0, err
        found.append(out)
    return found


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- whole or not at all --------------------------------------------------------------------------------------------


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "new" / "folder" / "notes.json"
    for value in ([], {"a": [1, 2.5, None, "é😀"]}, "text"):
        write_json(path, value)
        assert read_json(path) == value
    write_whole(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    write_whole(path, "línea\r\n")
    assert path.read_bytes() == "línea\r\n".encode()
    assert names_in(path.parent) == ["notes.json"]


def test_a_value_that_is_no_json_leaves_the_old_file(tmp_path):
    path = tmp_path / "notes.json"
    write_json(path, ["old"])
    for value in ({1, 2}, float("nan"), object()):
        with pytest.raises((TypeError, ValueError)):
            write_json(path, value)
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "half a character: \ud800")
    assert (read_json(path), names_in(tmp_path)) == (["old"], ["notes.json"])


def test_a_reader_never_sees_a_half(tmp_path):
    path = tmp_path / "numbers.json"
    write_json(path, [0] * 20_000)
    writer = start(
        "from agentkit.files import write_json\nfor n in range(60):\n    write_json(sys.argv[1], [n] * 20_000)", path
    )
    seen = set()
    while writer.poll() is None:
        numbers = read_json(path)
        assert len(numbers) == 20_000
        assert len(set(numbers)) == 1
        seen.add(numbers[0])
    outputs([writer])
    assert read_json(path)[0] == 59


def test_a_process_killed_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "notes.json"
    write_json(path, ["old"])
    code = (
        "import os\nfrom agentkit import files\n"
        "def die(descriptor):\n    os._exit(9)\n"
        "os.fsync = die\nfiles.write_json(sys.argv[1], ['new'] * 1000)"
    )
    assert start(code, path).wait(timeout=60) == 9
    assert read_json(path) == ["old"]


@on_posix
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "notes.json"
    write_json(path, ["old"])
    code = (
        "import resource\nfrom agentkit.files import write_json\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write_json(sys.argv[1], ['new'] * 1000)\nexcept OSError as error:\n    print(error.errno)"
    )
    (printed,) = outputs([start(code, path)])
    assert int(printed) > 0
    assert (read_json(path), names_in(tmp_path)) == (["old"], ["notes.json"])


@on_posix
def test_a_trace_on_a_full_disk_says_so_and_keeps_what_it_has(tmp_path):
    path = tmp_path / "trace.jsonl"
    code = (
        "import resource\nfrom agentkit import Tracer\ntracer = Tracer(sys.argv[1])\n"
        "tracer.write(agent='me', kind='first')\nresource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))\n"
        "try:\n    tracer.write(agent='me', kind='second', text='x' * 1000)\nexcept OSError:\n    print('full')"
    )
    assert outputs([start(code, path)]) == ["full\n"]
    assert json.loads(path.read_text("utf-8").splitlines()[0])["kind"] == "first"


NOBODY = 65534
AS_NOBODY = f"import os\nif os.getuid() == 0:\n    os.setgid({NOBODY})\n    os.setuid({NOBODY})\n"


@on_posix
def test_a_folder_that_may_not_be_written_is_an_error_that_names_it(tmp_path):
    notebook = Notebook(tmp_path / "closed" / "notebook.json")
    notebook.add("old")
    for folder in [*tmp_path.parents][:3]:  # an ordinary user must be able to get there at all
        if folder.owner() == tmp_path.owner() and folder != Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    tmp_path.chmod(0o755)
    notebook.path.parent.chmod(0o555)
    code = (
        "import threading\nfrom pathlib import Path\nfrom agentkit import Notebook, Tracer\n"
        "from agentkit.files import claim_stamp, write_whole\n"  # all of it: nobody may not read root's Python
        f"{AS_NOBODY}path = Path(sys.argv[1])\nprint(len(Notebook(path).notes()))\n"
        "for work in (lambda: Notebook(path).add('new'), lambda: write_whole(path, 'x'),\n"
        "             lambda: claim_stamp(path.parent, '.json'), lambda: Tracer(path.parent / 't').write(kind='x')):\n"
        "    try:\n        work()\n        print('written')\n"
        "    except PermissionError as error:\n        print('refused', path.parent.name in str(error))\n"
    )
    (printed,) = outputs([start(code, notebook.path)])
    notebook.path.parent.chmod(0o755)
    assert printed.split("\n")[:5] == ["1", *["refused True"] * 4]
    assert [note["text"] for note in notebook.notes()] == ["old"]


@on_posix
def test_a_link_stays_a_link_and_permissions_stay(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    write_json(real, 1)
    real.chmod(0o640)
    link.symlink_to(real)
    write_json(link, 2)
    assert link.is_symlink()
    assert (read_json(real), real.stat().st_mode & 0o777) == (2, 0o640)


DAMAGED = [b"", b"[1, 2", b"\xff\xfe", b"{'a': 1}", b"[" * 100_000, b"null null", b"\x00" * 50]


@pytest.mark.parametrize("damage", DAMAGED, ids=lambda damage: repr(damage[:10]))
def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path, damage):
    path = tmp_path / "notebook.json"
    path.write_bytes(damage)
    for work in (lambda: read_json(path), Notebook(path).notes, lambda: Notebook(path).add("new")):
        with pytest.raises(DamagedFile) as caught:
            work()
        assert caught.value.path == path
        assert str(path) in str(caught.value)
        assert isinstance(caught.value, AgentkitError)
    assert path.read_bytes() == damage


def test_a_file_that_is_not_there_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "none.json")
    assert Notebook(tmp_path / "none.json").notes() == []
    assert names_in(tmp_path) == []


# --- at once --------------------------------------------------------------------------------------------------------


def test_eight_processes_that_write_a_hundred_notes_each_lose_none(tmp_path):
    path = tmp_path / "notebook.json"
    code = (
        "from agentkit import Notebook\nnotebook = Notebook(sys.argv[1])\n"
        "for n in range(100):\n    notebook.add(f'{sys.argv[2]}-{n}', tags=['x'])"
    )
    outputs([start(code, path, process) for process in range(PROCESSES)])
    texts = [note["text"] for note in Notebook(path).notes()]
    assert sorted(texts) == sorted(f"{process}-{n}" for process in range(PROCESSES) for n in range(100))


def test_threads_that_write_notes_lose_none(tmp_path):
    notebook = Notebook(tmp_path / "notebook.json")
    threads = [threading.Thread(target=lambda n=n: [notebook.add(f"{n}-{i}") for i in range(5)]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({note["text"] for note in notebook.notes()}) == 40


def test_stamps_are_unique_between_processes_even_within_one_second(tmp_path):
    code = (
        "from datetime import datetime, timezone\nfrom agentkit.files import claim_stamp\n"
        "moment = datetime(2026, 10, 28, 14, 5, 1, tzinfo=timezone.utc)\n"
        "for n in range(25):\n    print(claim_stamp(sys.argv[1], '.json', moment))"
    )
    printed = outputs([start(code, tmp_path) for _ in range(PROCESSES)])
    stamps = [stamp for text in printed for stamp in text.split()]
    assert len(stamps) == len(set(stamps)) == PROCESSES * 25
    assert sorted(stamps)[0] == "20261028-140501"
    assert {f"{stamp}.json" for stamp in stamps} == set(names_in(tmp_path))


def test_a_stamp_moves_on_over_seconds_that_are_taken(tmp_path):
    (tmp_path / "20261028-140501.json").touch()
    used = ["20261028-140502"]
    assert claim_stamp(tmp_path, ".json", MOMENT, taken=used.__contains__) == "20261028-140503"
    assert names_in(tmp_path) == ["20261028-140501.json", "20261028-140503.json"]
    assert claim_stamp(tmp_path / "new", ".jsonl", MOMENT) == "20261028-140501"


def test_a_lock_is_held_by_one_and_freed_when_its_process_dies(tmp_path):
    path = tmp_path / "thing.json"
    code = (
        "import os\nfrom agentkit.files import locked\n"
        "with locked(sys.argv[1]):\n    print('held', flush=True)\n    sys.stdin.read()\n    os._exit(9)"
    )
    command = [sys.executable, "-c", f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{code}", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        got = threading.Event()
        waiter = threading.Thread(target=hold, args=(path, got), daemon=True)
        waiter.start()
        assert not got.wait(0.3)
        holder.stdin.close()
        assert got.wait(60)
        waiter.join()


def hold(path: Path, got: threading.Event) -> None:
    with locked(path):
        got.set()


def test_a_lock_is_freed_when_its_work_fails(tmp_path):
    with pytest.raises(ValueError, match="boom"), locked(tmp_path / "x"):
        raise ValueError("boom")
    with locked(tmp_path / "x"):
        pass


def test_many_threads_may_write_to_one_trace(tmp_path):
    tracer = Tracer(tmp_path / "trace.jsonl")
    threads = [
        threading.Thread(target=lambda n=n: [tracer.write(agent=str(n), kind="x", text="é" * 500) for _ in range(50)])
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tracer.close()
    lines = tracer.path.read_text("utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 400


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
