"""Finding: words and stems, passages, the index and its upkeep, the ranking, and how retrieval is measured.

Expected stems are those of SQLite's own porter tokenizer and of Porter's paper; Wilson's interval is checked
against the worked example in Newcombe (Statistics in Medicine 17, 1998). The figures over Flask and Django are not
tested here: `python eval/retrieval.py` measures them.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agents.codebase import cache, index
from agents.codebase.fence import Fence
from agents.codebase.folder import Folder
from agents.codebase.index import Index
from agents.codebase.kinds import content_reason, kind_of, skip_reason
from agents.codebase.passages import FEWEST_LINES, MOST_LINES, cut
from agents.codebase.ranking import candidates
from agents.codebase.related import related_to
from agents.codebase.words import key_words, names_in, pieces, stem
from eval import retrieval
from eval.projects import read_questions

QUESTIONS = read_questions()
posix_only = pytest.mark.skipif(os.name != "posix", reason="only on systems with POSIX files")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Keep each test's index out of the user's cache directory."""
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    return place / "draughts-agents"


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "proj"
    write(root, "a.py", "def alpha():\n    return 'one'\n")
    write(root, "b.py", "def beta():\n    return 'two'\n")
    return root


def write(root, path, text):
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    os.utime(place, ns=(10**18, 10**18 + len(text)))  # long ago, so that the time of change is settled
    return place


def found(folder, text):
    return [match.file for match in folder.search(text, 10).matches]


# -- words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("max_content_length", ["max", "content", "length"]),
        ("HTTPServer2Test", ["http", "server2", "test"]),
        ("PBKDF2PasswordHasher", ["pbkdf2", "password", "hasher"]),
        ("sha256 C3 404 os", ["sha256", "c3", "404", "os"]),
        ("résumé", ["resume"]),
        ("GET-USER-NAME", ["get", "user", "name"]),
        ("", []),
    ],
)
def test_identifiers_are_split_into_their_words(text, words):
    assert pieces(text) == words


def test_key_words_leave_out_stop_words_unless_there_is_nothing_else():
    assert key_words("Where is the session cookie written?") == ["session", "cookie", "written"]
    assert key_words("to be or not to be") == ["to", "be", "or", "not"]


def test_identifiers_in_a_question_are_known_as_such():
    assert names_in("Who sets SESSION_COOKIE_NAME or app.run in getName?") == [
        ["session", "cookie", "name"],
        ["app", "run"],
        ["get", "name"],
    ]


@pytest.mark.parametrize(
    ("word", "its_stem"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "feed"), ("agreed", "agre"),
        ("plastered", "plaster"), ("motoring", "motor"), ("conflated", "conflat"), ("hopping", "hop"),
        ("happy", "happi"), ("relational", "relat"), ("vietnamization", "vietnam"), ("triplicate", "triplic"),
        ("hopefulness", "hope"), ("revival", "reviv"), ("adoption", "adopt"), ("controlling", "control"),
        ("filing", "file"), ("is", "is"), ("sky", "sky"),
    ],
)  # fmt: skip
def test_stems_are_those_of_porters_paper(word, its_stem):
    assert stem(word) == its_stem


def test_stems_are_those_that_sqlite_makes():
    words = sorted({word for path in (ROOT / "agents").rglob("*.py") for word in pieces(path.read_text("utf-8"))})
    words = [word for word in words if word.isascii() and word.isalpha() and len(word) > 4]  # "ies" alone is no word
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE words USING fts5 (word, tokenize='porter unicode61')")
    database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'instance')")
    database.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(words))
    theirs = dict(database.execute("SELECT doc, term FROM vocabulary").fetchall())
    database.close()
    assert len(words) > 1000
    assert {word: stem(word) for word in words} == {word: theirs[number] for number, word in enumerate(words)}


def test_related_words_are_general_and_the_nearest_come_first():
    assert {"password", "username"} <= set(related_to([stem("credentials")]))
    assert related_to([stem("credentials"), "nosuchstem"])[0] == related_to([stem("credentials")])[0]
    assert related_to(["nosuchstem"]) == []


# -- passages and kinds ------------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["", "def f():", "    x = 1", "class A:", "# note", "@wrap", "TITLE = 3"]), max_size=150)
)
def test_passages_are_all_of_the_file_in_order_and_of_bounded_length(lines):
    text = "\n".join(lines)
    passages = list(cut(text, is_program=True))
    kept = lines[:-1] if lines and lines[-1] == "" else lines
    numbers = [number for passage in passages for number in range(passage.first, passage.last + 1)]
    assert numbers == list(range(1, len(kept) + 1))
    assert all(passage.last - passage.first < MOST_LINES for passage in passages)
    assert all(passage.last - passage.first >= FEWEST_LINES for passage in passages[:-1])


def test_a_cut_falls_where_a_definition_begins_its_decorator_with_it():
    text = "\n".join(["x = 1"] * 20 + ["@wrap", "def g():"] + ["    y = 2"] * 30)
    assert [passage.first for passage in cut(text, is_program=True)][:2] == [1, 21]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/app.py", "code"), ("Makefile", "code"), ("docs/index.rst", "docs"), ("README.md", "docs"),
        ("tests/helper.py", "test"), ("src/app_test.go", "test"), ("web/app.spec.ts", "test"), ("conftest.py", "test"),
        ("CHANGES.rst", "history"), ("docs/releases/1.2.txt", "history"), ("examples/a/main.c", "example"),
        ("locale/de/django.po", "translation"), ("a.css", "style"), ("src/history.py", "code"),
        ("src/latest.py", "code"),
    ],
)  # fmt: skip
def test_the_kind_of_a_file_is_told_by_its_names(path, kind):
    assert kind_of(path.split("/")) == kind


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a.min.js", "generated"), ("package-lock.json", "generated"), ("uv.lock", "generated"),
        ("x/pkg.egg-info/t", "generated"),
        ("js/vendor/jq.js", "vendored"), ("a.png", "binary"), ("src/a.py", None), ("Makefile", None), ("a.h", None),
        ("block.py", None), ("src/lock.c", None),
    ],
)  # fmt: skip
def test_what_no_person_of_the_project_wrote_is_not_searched(path, reason):
    assert skip_reason(path.split("/"), 100) == reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"// Code generated by protoc. DO NOT EDIT.\n", "generated"), (b"/* @generated */\n", "generated"),
        (b"x" * 20_000, "generated"), (b"a\0b", "binary"), (b"hello\n", None), (b"", None),
        (b"def generated(): pass\n", None),
    ],
)  # fmt: skip
def test_what_a_program_made_is_told_by_its_content(content, reason):
    assert content_reason(content) == reason


# -- the index ---------------------------------------------------------------------------------------------


def test_the_index_lies_in_the_cache_directory_which_only_its_owner_may_enter(project, own_cache):
    found(Folder(project), "alpha")
    names = [path.name for path in own_cache.iterdir()]
    assert len(names) == 1 and names[0].endswith("-files.sqlite3")
    assert [path.name for path in project.iterdir() if path.name not in ("a.py", "b.py")] == []
    if os.name == "posix":
        assert stat.S_IMODE(own_cache.stat().st_mode) == 0o700


def test_two_roots_have_two_indexes_and_one_root_by_two_names_has_one(project, tmp_path, own_cache):
    found(Folder(project), "alpha")
    found(Folder(tmp_path / "proj" / ".." / "proj"), "alpha")
    write(tmp_path / "other", "c.py", "alpha = 3\n")
    assert found(Folder(tmp_path / "other"), "alpha") == ["c.py"]
    assert len(list(own_cache.glob("*.sqlite3"))) == 2


def test_changed_new_and_removed_files_are_found_at_the_next_search(project):
    folder = Folder(project)
    assert found(folder, "alpha") == ["a.py"]
    write(project, "a.py", "def gamma():\n    return 'three'\n")
    write(project, "c/d.py", "alpha = 'again'\n")
    (project / "b.py").unlink()
    assert found(folder, "alpha") == ["c/d.py"]
    assert found(folder, "gamma") == ["a.py"] and found(folder, "beta") == []
    assert folder.search("gamma", 10).searched == 2


def test_a_file_changed_in_the_same_moment_and_to_the_same_size_is_found(project):
    folder = Folder(project)
    place = project / "fresh.txt"
    place.write_text("before\n", encoding="utf-8")
    times = place.stat().st_mtime_ns
    assert found(folder, "before") == ["fresh.txt"]
    place.write_text("behind\n", encoding="utf-8")
    os.utime(place, ns=(times, times))
    assert found(folder, "behind") == ["fresh.txt"]


def test_an_unchanged_file_is_not_read_again(project, monkeypatch):
    found(Folder(project), "alpha")
    read = []
    monkeypatch.setattr(index, "read_whole", lambda fence, parts, most: read.append(parts) or b"")
    Folder(project)._index()
    assert read == []


@pytest.mark.parametrize("damage", [b"", b"not a database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_index_is_made_anew(project, own_cache, damage):
    folder = Folder(project)
    found(folder, "alpha")
    folder.close()
    next(own_cache.iterdir()).write_bytes(damage)
    assert found(Folder(project), "alpha") == ["a.py"]


def test_an_index_damaged_in_its_middle_while_it_is_open_is_made_anew(project, own_cache):
    for number in range(60):
        write(project, f"many/{number}.py", f"def name{number}():\n    return {number}\n" * 20)
    folder = Folder(project)
    found(folder, "alpha")
    folder.close()
    place = next(own_cache.iterdir())
    content = bytearray(place.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    place.write_bytes(content)
    assert found(Folder(project), "name7 alpha")


def test_an_index_of_another_format_is_made_anew(project, monkeypatch):
    found(Folder(project), "alpha")
    monkeypatch.setattr(index, "FORMAT", index.FORMAT + 1)
    assert found(Folder(project), "alpha") == ["a.py"]


def test_where_the_cache_cannot_be_written_the_index_is_in_memory(project, tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the cache would be", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert cache.place_for(str(project), "files") == ":memory:"
    assert found(Folder(project), "alpha") == ["a.py"]


@posix_only
def test_where_the_index_cannot_be_removed_either_it_is_in_memory(project, own_cache):
    Path(cache.place_for(str(project), "files")).mkdir(parents=True)
    assert found(Folder(project), "alpha") == ["a.py"]


def test_a_cache_variable_that_is_no_absolute_path_is_passed_over(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.chdir(project)
    assert found(Folder(project), "alpha") == ["a.py"]
    assert not (project / "here").exists()


def test_a_cache_directory_that_is_open_to_others_is_closed_to_them(project, own_cache):
    own_cache.mkdir(parents=True)
    own_cache.chmod(0o777)
    found(Folder(project), "alpha")
    assert stat.S_IMODE(own_cache.stat().st_mode) == 0o700


def test_two_processes_make_one_index_together(project):
    for number in range(200):
        write(project, f"many/{number}.txt", f"pebble {number}\n" * 30)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from agents.codebase.folder import Folder\n"
        "print(len(Folder(sys.argv[2]).search('pebble', 10).matches) > 0)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(ROOT), str(project)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in running] == ["True"] * 3
    searched = Folder(project).search("pebble", 10)
    assert searched.searched == 202


def test_an_index_that_is_mostly_dead_rows_is_made_anew(project):
    text = "".join(f"line {number}\n" for number in range(20_000))
    folder = Folder(project)
    for turn in range(4):
        write(project, "big.txt", text + "x" * turn)
        found(folder, "line")
    database = folder._index()._database
    alive = database.execute("SELECT count(*) FROM passages").fetchone()[0]
    ever = database.execute("SELECT next - 1 FROM ids").fetchone()[0]
    assert alive >= ever * (1 - index._MOST_DEAD_ROWS)


def test_progress_is_told_while_an_index_is_made_and_not_afterwards(project):
    told = []
    found(Folder(project, lambda done, of: told.append((done, of))), "alpha")
    assert told == [(2, 2)]
    found(Folder(project, lambda done, of: told.append((done, of))), "alpha")
    assert told == [(2, 2)]


def test_translations_are_searched_when_nothing_else_holds_the_words(project):
    write(project, "locale/de.po", 'msgid "alpha"\nmsgstr "zeppelinwort"\n')
    folder = Folder(project)
    assert found(folder, "alpha") == ["a.py"]
    assert found(folder, "zeppelinwort") == ["locale/de.po"]


# -- the ranking -------------------------------------------------------------------------------------------


def test_a_definition_goes_before_a_mention_and_code_before_tests_and_history(project):
    write(project, "src/pay.py", "def send_invoice(customer):\n    return mail(customer)\n")
    write(project, "src/other.py", "x = 1  # see send_invoice\n")
    write(project, "tests/test_pay.py", "def test_send_invoice():\n    send_invoice(1)\n")
    write(project, "CHANGES.md", "- send_invoice sends the invoice\n")
    names = found(Folder(project), "send_invoice")
    assert names[0] == "src/pay.py" and names.index("src/pay.py") < names.index("tests/test_pay.py")
    assert names.index("src/other.py") < names.index("CHANGES.md")


def test_a_question_in_other_words_is_answered_through_related_words(project):
    write(project, "auth.py", "def check(username, password):\n    return compare(username, password)\n")
    write(project, "news.py", "def publish(article):\n    return article\n")
    write(project, "misc.md", "What is compared here?\n")
    assert "auth.py" in found(Folder(project), "How are credentials compared?")


def test_a_word_that_every_file_holds_is_still_looked_for_in_a_small_folder(project):
    write(project, "c.py", "pebble = 1\n")
    assert set(found(Folder(project), "return nosuchword")) == {"a.py", "b.py"}


def test_ten_lines_come_from_ten_files_when_there_are_as_many(project):
    for number in range(15):
        write(project, f"m{number}.py", "pebble = 1\n" * 3)
    folder = Folder(project)
    files = [match.file for match in folder.search("pebble", 10).matches[:10]]
    assert len(set(files)) == 10


def test_the_same_search_always_gives_the_same_lines(project):
    for number in range(20):
        write(project, f"m{number}.py", f"pebble = {number}\n")
    first = Folder(project).search("pebble", 10).matches
    assert all(Folder(project).search("pebble", 10).matches == first for _ in range(3))


def test_a_line_is_read_from_the_file_at_the_moment_of_asking(project, monkeypatch):
    folder = Folder(project)
    folder._index()
    monkeypatch.setattr(Index, "refresh", lambda self: None)
    (project / "a.py").unlink()
    assert found(folder, "alpha") == []


def test_no_question_finds_no_candidate(project):
    searched = Index(Fence(project))
    searched.refresh()
    assert candidates(searched, "?!", 10) == []


# -- how it is measured ------------------------------------------------------------------------------------


def test_the_questions_are_complete_and_their_sets_are_as_large_as_said():
    sets = [question["set"] for question in QUESTIONS["questions"]]
    assert {name: sets.count(name) for name in retrieval.SETS} == {"published": 20, "tuning": 20, "held_out": 20}
    assert len({question["id"] for question in QUESTIONS["questions"]}) == 60
    for question in QUESTIONS["questions"]:
        assert question["repo"] in QUESTIONS["projects"] and question["kind"] in ("literal", "paraphrase")
        assert all(1 <= place["line_from"] <= place["line_to"] for place in [question, *question["also"]])
    assert QUESTIONS["projects"]["flask"]["version"] == "3.1.3"


def test_a_question_is_judged_by_file_window_and_line():
    question = {
        "id": "X",
        "file": "a.py",
        "line_from": 100,
        "line_to": 102,
        "also": [{"file": "b.md", "line_from": 5, "line_to": 5}],
    }

    def outcome(*matches):
        return retrieval.judge(question, [{"file": file, "line": line} for file, line in matches])[1:]

    assert outcome(("c.py", 101)) == (0, False, False)
    assert outcome(("c.py", 1), ("a.py", 300)) == (2, False, False)
    assert outcome(("a.py", 80)) == (1, False, True) and outcome(("a.py", 122)) == (1, False, True)
    assert outcome(("a.py", 79)) == (1, False, False) and outcome(("a.py", 123)) == (1, False, False)
    assert outcome(("a.py", 102)) == (1, True, True) and outcome(("b.md", 5)) == (1, True, True)


def test_wilsons_interval_is_that_of_the_worked_example():
    low, high = retrieval.wilson(15, 148)  # Newcombe 1998, table I: 0.0624 to 0.1605
    assert (round(low, 4), round(high, 4)) == (0.0624, 0.1605)


def test_the_bootstrap_holds_the_mean_and_is_the_same_every_time():
    values = [0.0, 0.5, 1.0, 1.0, 0.2]
    low, high = retrieval.bootstrap(values)
    assert low <= 0.54 <= high and retrieval.bootstrap(values) == (low, high)


def test_without_the_projects_the_program_says_how_to_get_them(tmp_path, capsys):
    assert retrieval.main(["--projects", str(tmp_path)]) == 2
    assert "--fetch" in capsys.readouterr().err


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
