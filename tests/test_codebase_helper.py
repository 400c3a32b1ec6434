"""The codebase helper: what its tools return, and which answers its checks accept.

cases/answer_checks_files.json holds answers with their tool log and the right verdict; the tables here add the
rest of each kind. The helper is run with canned replies: no language model, no network.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import ScriptedModel, ToolBox
from agents.codebase import lines
from agents.codebase.conversation import Conversation
from agents.codebase.fence import Fence
from agents.codebase.mentions import mentions
from agents.codebase.numbers import numbers_shown
from agents.codebase.refusals import Refused
from agents.codebase.shown import lines_shown
from agents.codebase_helper import INSTRUCTIONS, build_helper, cites_a_source, files_grounded, make_tools

CASES = json.loads((ROOT / "tests" / "cases" / "answer_checks_files.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Keep each test's index out of the user's cache directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def project(tmp_path):
    """A project of a few files in several languages."""
    root = tmp_path / "shop"
    texts = {
        "src/basket.py": "class Basket:\n    def addItem(self, item):\n        self.items.append(item)\n",
        "src/tax.go": "package tax\n\nfunc VatRate() float64 { return 0.19 }\n",
        "docs/guide.rst": "Guide\n=====\n\nThe basket keeps what a customer picked.\n",
        "Makefile": "ship:\n\trsync -a build/ server:/srv/shop\n",
        "lib/c/money.h": "#define ROUND_CENTS 2\n",
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def box(root):
    return ToolBox(make_tools(root))


def call(name, **arguments):
    return {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


def shown(*places, tool="search_files", **args):
    """A tool log of one search that showed these (file, line) places."""
    matches = [{"file": file, "line": line, "text": "x"} for file, line in places]
    return [{"tool": tool, "args": args, "result": {"lines_found": len(matches), "best_matches": matches}}]


# -- the tools ---------------------------------------------------------------------------------------------


def test_the_tools_have_the_names_and_arguments_of_the_contract(project):
    schemas = {tool.name: tool.parameters for tool in make_tools(project)}
    assert list(schemas) == ["search_files", "read_file", "list_files"]
    assert schemas["search_files"]["required"] == ["text"]
    assert schemas["read_file"]["required"] == ["path"] and schemas["list_files"].get("required", []) == []
    count = schemas["read_file"]["properties"]["count"]
    assert (count["type"], count["default"], count["minimum"], count["maximum"]) == ("integer", 60, 1, 120)


def test_a_search_returns_the_best_lines_with_file_line_and_text(project):
    answer = box(project).run("search_files", {"text": "vat rate"})
    assert answer["best_matches"][0] == {
        "file": "src/tax.go",
        "line": 3,
        "text": "func VatRate() float64 { return 0.19 }",
    }
    assert answer["lines_found"] >= 1 and answer["files_searched"] == 5 and answer["files_skipped"] == {}


@pytest.mark.parametrize(
    ("words", "file"),
    [
        ("add item", "src/basket.py"),
        ("addItem", "src/basket.py"),
        ("add_item", "src/basket.py"),
        ("VATRATE vat", "src/tax.go"),
        ("rsync", "Makefile"),
        ("round cents", "lib/c/money.h"),
        ("baskets", "src/basket.py"),
        ("customers picking", "docs/guide.rst"),
    ],
)
def test_words_are_found_in_any_spelling_and_any_kind_of_file(project, words, file):
    matches = box(project).run("search_files", {"text": words})["best_matches"]
    assert matches[0]["file"] == file


@pytest.mark.parametrize("asked", ["id_for_os", 'who says "the row of its own"', "what is `a[i] + row`"])
def test_the_line_that_a_question_quotes_letter_by_letter_comes_first(project, asked):
    lines = ["row os id row index"] * 20
    lines[7:7] = ["def id_for_os(x): a[i] + row  # the row of its own"]
    lines[8:8] = ["id os own row says i", "id os own row says i"]
    (project / "quoted.py").write_text("\n".join(lines), encoding="utf-8")
    match = box(project).run("search_files", {"text": asked})["best_matches"][0]
    assert (match["file"], match["line"]) == ("quoted.py", 8)


def test_a_search_without_a_hit_says_so_plainly(project):
    answer = box(project).run("search_files", {"text": "zeppelin"})
    assert answer["lines_found"] == 0 and answer["best_matches"] == [] and "No file holds" in answer["hint"]


def test_a_search_with_more_than_ten_lines_shows_ten_and_says_that_it_was_cut(project):
    (project / "many.txt").write_text("pebble\n" * 25, encoding="utf-8")
    answer = box(project).run("search_files", {"text": "pebble"})
    assert len(answer["best_matches"]) == 10 and answer["lines_found"] == 25
    assert "10 best of 25 lines" in answer["cut"]


@pytest.mark.parametrize(
    "text", ["", "?!", "\0", "\ud800", '"', "a OR", "NEAR(", "x" * 3000, "the of and", "*", "col:x"]
)
def test_no_text_makes_a_search_fail_with_anything_but_words(project, text):
    answer = box(project).run("search_files", {"text": text})
    assert "best_matches" in answer or "must" in answer["error"] or "not accepted" in answer["error"]


@given(st.text(max_size=40))
def test_whatever_is_searched_for_the_answer_has_the_same_shape(text):
    answer = TOOLS_OF_THIS_PROJECT.run("search_files", {"text": text or "x"})
    assert len(answer["best_matches"]) <= 10
    json.dumps(answer).encode("utf-8")


def test_reading_returns_numbered_lines_and_how_many_there_are(project):
    answer = box(project).run("read_file", {"path": "src/basket.py", "start": 2, "count": 1})
    assert (answer["file"], answer["first_line"], answer["total_lines"]) == ("src/basket.py", 2, 3)
    assert answer["lines"] == ["2:     def addItem(self, item):"]


@pytest.mark.parametrize(
    ("content", "lines", "total"),
    [
        (b"", [], 0),
        (b"a", ["1: a"], 1),
        (b"a\n", ["1: a"], 1),
        (b"a\n\nb\n", ["1: a", "2: ", "3: b"], 3),
        (b"a\r\nb\r\n", ["1: a", "2: b"], 2),
        (b"\xef\xbb\xbfa\n", ["1: a"], 1),
        (b"a\x0cb\n", ["1: a\\x0cb"], 1),
        ("a\u2028b\n".encode(), ["1: a\\u2028b"], 1),
        (b"caf\xe9\n", ["1: caf\ufffd"], 1),
    ],
)
def test_lines_are_counted_as_an_editor_counts_them(project, content, lines, total):
    (project / "odd.txt").write_bytes(content)
    answer = box(project).run("read_file", {"path": "odd.txt"})
    assert (answer["lines"], answer["total_lines"]) == (lines, total)


@given(st.binary(max_size=400).filter(lambda data: b"\0" not in data), st.integers(1, 6), st.integers(1, 6))
def test_reading_in_blocks_shows_what_reading_whole_shows(tmp_path_factory, data, start, count):
    root = tmp_path_factory.mktemp("blocks")
    (root / "f.txt").write_bytes(data)
    expected = data.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    whole, lines.BLOCK = lines.BLOCK, 3
    try:
        found = lines.excerpt(Fence(root), ("f.txt",), start, count)
    except Refused:
        assert start > max(len(expected), 1)
        return
    finally:
        lines.BLOCK = whole
    texts = [line.decode("utf-8", errors="replace").rstrip("\r") for line in expected]
    if texts:
        texts[0] = texts[0].removeprefix("\ufeff")
    assert found.total == len(expected)
    assert found.lines == [lines.shown_line(text) for text in texts[start - 1 : start - 1 + count]]


def test_the_lines_of_a_large_file_are_not_counted_unless_its_end_was_reached(project):
    with open(project / "big.log", "wb") as file:
        for number in range(1, 1_200_001):
            file.write(b"line %7d\n" % number)
    near = box(project).run("read_file", {"path": "big.log", "start": 5, "count": 1})
    assert near["lines"] == ["5: line       5"] and near["total_lines"] is None
    last = box(project).run("read_file", {"path": "big.log", "start": 1_200_000, "count": 2})
    assert last["lines"] == ["1200000: line 1200000"] and last["total_lines"] == 1_200_000
    assert box(project).run("search_files", {"text": "basket"})["files_skipped"] == {"over 1 MB": 1}


def test_listing_names_all_files_the_nearest_first(project):
    assert box(project).run("list_files", {})["files"] == [
        "Makefile",
        "docs/guide.rst",
        "src/basket.py",
        "src/tax.go",
        "lib/c/money.h",
    ]
    assert box(project).run("list_files", {"folder": "src"})["files"] == ["src/basket.py", "src/tax.go"]


def test_a_listing_of_more_than_200_files_is_cut_and_names_the_folders(project):
    for number in range(250):
        (project / "src" / f"part{number:03}.py").write_text("x = 1\n", encoding="utf-8")
    answer = box(project).run("list_files", {})
    assert answer["files_listed"] == 200 == len(answer["files"])
    assert "200 of 255 files" in answer["cut"] and "src" in answer["cut"]


def test_several_folders_are_searched_as_one_each_path_beginning_with_its_folder(project, tmp_path):
    other = tmp_path / "other" / "shop"
    other.mkdir(parents=True)
    (other / "vat.txt").write_text("the vat rate is high\n", encoding="utf-8")
    tools = box([project, other])
    found = tools.run("search_files", {"text": "vat rate"})["best_matches"]
    assert {match["file"] for match in found} >= {"shop/src/tax.go", "shop-2/vat.txt"}
    assert tools.run("read_file", {"path": "shop-2/vat.txt"})["lines"] == ["1: the vat rate is high"]
    assert "shop-2/vat.txt" in tools.run("list_files", {})["files"]
    assert tools.run("list_files", {"folder": "shop-2"})["files"] == ["shop-2/vat.txt"]
    assert "They are shop, shop-2" in tools.run("read_file", {"path": "src/tax.go"})["error"]
    assert "outside" in tools.run("read_file", {"path": "shop-2/../../x"})["error"]


def test_the_same_folder_given_twice_is_one_folder(project):
    tools = box([project, project / "src" / ".."])
    assert tools.run("list_files", {})["files_listed"] == 5
    assert tools.run("read_file", {"path": "src/tax.go"})["file"] == "src/tax.go"


def test_with_several_folders_a_file_may_be_called_like_the_beginning_of_its_folder(project, tmp_path):
    (tmp_path / "Makefile-rules").mkdir()
    (tmp_path / "Makefile-rules" / "Makefile").write_text("all:\n", encoding="utf-8")
    tools = box([project, tmp_path / "Makefile-rules"])
    for path in (
        "Makefile-rules/Makefile",
        "./Makefile-rules//Makefile",
        str(tmp_path / "Makefile-rules" / "Makefile"),
    ):
        assert tools.run("read_file", {"path": path})["file"] == "Makefile-rules/Makefile"


# -- the checks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=[case["why"][:50] for case in CASES])
def test_each_case_of_the_table_has_its_right_verdict(case):
    assert (not files_grounded(case["answer"], case["log"])) is (case["right"] == "pass"), case["why"]


SEEN = shown(("src/app.py", 3), ("src/app.py", 4), ("src/app.py", 5), ("docs/my notes.md", 2), ("Makefile", 7))

GOOD = [
    "It is in src/app.py:3.",
    "See `src/app.py:3`.",
    "See src/app.py:3-5.",
    "See src/app.py#L3-L5.",
    "See src/app.py:3,5.",
    "See src/app.py, lines 3 to 5.",
    "See line 3 of src/app.py.",
    "The file src/app.py (line 4) starts it.",
    "src\\app.py:3",
    "See [src/app.py:3](src/app.py#L3).",
    '"docs/my notes.md":2 says so.',
    "Makefile:7 builds it.",
    "See src/app.py:3:14.",
    "It calls app.config.json() and os.path.join in src/app.py:3.",
    "All *.py and .rst files, e.g. src/app.py:3.",
    "It uses ASP.NET, D3.js and version 3.11.",
    "Mail bob@example.com about src/app.py:3.",
    "At 12:30 see src/app.py:4.",
    "The ratio is 3:4 in src/app.py:5.",
    "See localhost:8080 and 127.0.0.1:5000.",
    "Read the LICENSE and the README.",
    "See src/app.py:3. It ends at line 5.",
    "Look in **src/app.py:3**, and/or GET/POST.",
    "See src/app.py#L3–L5 and src/app.py (L3-L5).",
    "See src/app.py:L3, line number 4 of src/app.py and src/app.py, l. 5.",
    "See src/app.py:3, 4 and 5.",
    "See src/app.py:3 and 404 errors.",
    "See __src/app.py__:3 and _src/app.py:3_.",
    "See [app.py](src/app.py#L3) and [`app.py`, line 4](src/app.py).",
    "It is written in React.js/Next.js, e.g. in the U.S. at 5 p.m.; J.R.R. Tolkien.",
    'The key "a.b.c", self.r and request.json are read in src/app.py:3.',
]
BAD = [
    "See src/app.py:2.",
    "See src/app.py:3-6.",
    "See src/app.py#L9.",
    "See src/app.py, line 9.",
    "See line 9 of src/app.py.",
    "See src/app.py (line 40).",
    "See lib/app.py:3.",
    "See src/app.pyx:3.",
    "See mysrc/app.py:3.",
    "See src/app.py.bak:3.",
    "See src/router.ts.",
    "See bin/run:3.",
    "The key is in config.yaml.",
    "See Dockerfile:1.",
    "See .env:1.",
    "See server.weird:12.",
    "See notes.md:2.",
    "See src/app.py(9).",
    "See src/App.py:3.",
    "See src/app.py:3,9.",
    "Nothing else matters: see src/other.py:1.",
    "See docs/my other.md:2.",
    "See src/app.py, lines 3 and 9.",
    "See src/app.py#L3–L9.",
    "See src/app.py L9.",
    "See src/app.py (L3-L9).",
    "See src/app.py: L9.",
    "See src/app.py:L9.",
    "See src/app.py:3 and 9.",
    "See src/app.py:3, 4 and 12.",
    "See src/app.py, line number 9.",
    "See src/app.py, l. 9.",
    "See __src/app.py__:9.",
    "See [app.py](lib/app.py#L3).",
    "See [app.py:9](src/app.py#L3).",
    "See **.eslintrc.json**.",
    "See img/logo.png.",
]


@pytest.mark.parametrize("answer", GOOD)
def test_a_file_and_line_that_were_shown_pass_however_they_are_written(answer):
    assert files_grounded(answer, SEEN) == []


@pytest.mark.parametrize("answer", BAD)
def test_a_file_or_line_that_was_not_shown_is_refused_however_it_is_written(answer):
    assert files_grounded(answer, SEEN)[0].startswith("These files were not returned by any tool: ")


ASKED = [
    {"tool": "read_file", "args": {"path": "conf/settings.py"}, "result": {"error": "There is no file."}},
    *shown(("src/app.py", 3), text="where is settings.py?"),
]
DENIED = [
    "No settings.py was found.",
    "There is no file named settings.py.",
    "I could not find settings.py.",
    "settings.py does not exist.",
    "settings.py was not found.",
    "I looked for settings.py, but there is no such file.",
    "The file `settings.py` is missing.",
    "There isn't any settings.py in the project.",
    "conf/settings.py is not there.",
    "There is nothing called settings.py.",
    "There is no trace of settings.py.",
    "Nothing matches settings.py.",
    "A search for settings.py came up empty.",
    "settings.py did not turn up.",
    "The requested settings.py cannot be found.",
    "The file settings.py you mention does not exist.",
    "There does not appear to be a settings.py.",
    "settings.py is not part of this folder.",
    "I looked for settings.py. No such file exists.",
    "Is there a settings.py? No, none was found.",
    "No conf/settings.py or settings.py exists.",
    "conf/settings.py and settings.py do not exist.",
]
ASSERTED = [
    "It is set in settings.py.",
    "It is not in src/app.py:3 but in settings.py.",
    "There is no doubt that it is in settings.py.",
    "settings.py does not set it.",
    "settings.py:3 does not exist.",
    "No, see settings.py.",
    "Not found elsewhere; use settings.py.",
    "There is no other.py.",
    "The app does not start without settings.py.",
    "The key is not in settings.py.",
    "There is no conf/settings.py, settings.py has it.",
    "See settings.py, conf/settings.py is missing.",
]


@pytest.mark.parametrize("answer", DENIED)
def test_a_name_that_was_asked_for_may_be_denied(answer):
    assert files_grounded(answer, ASKED) == []


@pytest.mark.parametrize("answer", ASSERTED)
def test_a_name_that_was_asked_for_may_not_be_asserted_nor_another_one_denied(answer):
    assert files_grounded(answer, ASKED)


def test_a_name_in_the_question_may_be_denied_when_the_check_is_told_the_question():
    assert files_grounded("There is no setup.cfg.", SEEN)
    assert files_grounded("There is no setup.cfg.", SEEN, "What is in setup.cfg?") == []


def test_a_name_in_the_text_of_a_file_or_in_an_error_proves_nothing():
    log = [
        {
            "tool": "read_file",
            "args": {"path": "a.md"},
            "result": {
                "file": "a.md",
                "first_line": 1,
                "total_lines": 1,
                "lines": ['1: see src/hidden.py:9, {"file": "b.py"}'],
            },
        },
        {
            "tool": "read_file",
            "args": {},
            "result": {"error": "There is no file c.py.", "file": "c.py", "lines": ["1: x"]},
        },
    ]
    for name in ("src/hidden.py:9", "b.py", "c.py:1"):
        assert files_grounded(f"See {name}.", log)
    assert files_grounded("See a.md:1.", log) == []


def test_the_result_may_be_json_text_as_libraries_log_it():
    log = [{**entry, "result": json.dumps(entry["result"])} for entry in SEEN]
    assert files_grounded("See src/app.py:3.", log) == [] and files_grounded("See src/app.py:9.", log)


def test_the_problems_say_what_to_write_instead():
    log = [*SEEN, {"tool": "list_files", "args": {}, "result": {"files_listed": 1, "files": ["lib/deep/util.py"]}}]
    assert files_grounded("See src/app.py:9, util.py, lib/deep/util.py:1 and no.py.", log) == [
        "These files were not returned by any tool: src/app.py:9, util.py, lib/deep/util.py:1, no.py.",
        "Of src/app.py only these lines were shown: 3-5. Cite one of them, or read the others first.",
        "Write util.py in full: lib/deep/util.py.",
        "No line of lib/deep/util.py was shown. Read it before you cite a line of it.",
        "Leave out no.py, or find it with search_files or list_files first.",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "See src/app.py:3.",
        "Nothing was found about that.",
        "I found no mention of it.",
        "The search returned nothing.",
        "The tools could not find it.",
        "No file of the project mentions zeppelins.",
        "Line 3 of src/app.py does it.",
        "There is no settings.py.",
        "settings.py does not exist.",
        "It is not mentioned in the project.",
        "The tools did not show the answer.",
        "I was unable to find it.",
    ],
)
def test_an_answer_with_a_source_or_a_plain_word_that_nothing_was_found_passes(answer):
    assert cites_a_source(answer, SEEN) == []


@pytest.mark.parametrize("answer", ["It works like any other.", "See src/app.py.", "A 404 Not Found is sent.", "No."])
def test_an_answer_without_a_source_is_refused(answer):
    assert "path:line" in cites_a_source(answer, SEEN)[0]


@given(st.text(max_size=200))
def test_no_answer_makes_a_check_fail(answer):
    files_grounded(answer, SEEN)
    cites_a_source(answer, SEEN)
    numbers_shown(answer, SEEN)
    for mention in mentions(answer):
        assert 0 <= mention.start < mention.end


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["best_matches", "file", "files", "line", "lines", "error"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_no_tool_log_makes_a_check_fail(result):
    log = [{"tool": "x", "args": result, "result": result}]
    files_grounded("See src/app.py:3.", log)
    numbers_shown("It waits 3 seconds (src/app.py:3).", log)
    assert all(isinstance(line, int) for _, line in lines_shown(log))


# -- the numbers of an answer ------------------------------------------------------------------------------

FERRY = [
    {
        "tool": "search_files",
        "args": {"text": "when does it leave"},
        "result": {
            "lines_found": 12,
            "best_matches": [
                {"file": "fares.py", "line": 6, "text": "CHILD_UNDER = 14  # years"},
                {"file": "fares.py", "line": 11, "text": "price = CHILD_PENCE if age < CHILD_UNDER else ADULT_PENCE"},
                {"file": "fares.py", "line": 19, "text": "return 0.15 if people >= 10 else 0.0"},
                {"file": "times.py", "line": 6, "text": "LAST = time(21, 5)"},
                {"file": "store.py", "line": 5, "text": "TIMEOUT = 2.5; MOST = 1_000_000; MASK = 0xFF"},
            ],
            "files_searched": 9,
            "files_skipped": {"closed": 7},
            "note": "No more than 77 are looked at.",
        },
    },
    {
        "tool": "read_file",
        "args": {"path": "port.md"},
        "result": {"file": "port.md", "first_line": 40, "total_lines": 60, "lines": ["40: # Port", "41: It is 4317."]},
    },
]


@pytest.mark.parametrize(
    "answer",
    [
        "A child is under 14 years old (fares.py:6).",
        "A child is under 14 (fares.py:5).",
        "A group of 10 has 15% off (fares.py:19).",
        "A group of 10 has 15 % off, see line 19 of fares.py.",
        "The last boat leaves at 21:05 (times.py:6).",
        "The last boat leaves at 9:05 PM (times.py:6).",
        "It waits 2.5 seconds (store.py:5).",
        "At most 1,000,000 (store.py:5).",
        "At most 1000000, under the mask 0xFF (store.py:5).",
        "It listens on port 4317 (port.md:41).",
        "Open http://localhost:8080 and see port.md:41.",
        "The 3rd line of UTF-8 text (store.py:5).",
        "Two boats, see times.py:6.",
        "1. fares.py:6\n2. times.py:6",
        "I found 12 lines in 9 files; one is fares.py:6.",
        "lines found: 12; files searched: 9\n\nfiles skipped: closed 7\n\nfares.py:6",
        "No more than 77 are looked at. See fares.py:6.",
        "port.md has 60 lines (port.md:40).",
        "At 33 knots it stays (times.py:6).",
        "A child is under 14.",
    ],
)
def test_a_number_that_stands_in_a_line_that_is_cited_passes_however_it_is_written(answer):
    assert numbers_shown(answer, FERRY, "What happens at 33 knots?") == []


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("A bicycle costs $10 more (times.py:6).", "$10"),
        ("The last boat leaves at 21:50 (times.py:6).", "21:50"),
        ("It waits 25 seconds (store.py:5).", "25"),
        ("It waits 12 seconds (store.py:5).", "12"),
        ("It has 9 decks (store.py:5).", "9"),
        ("It carries 77 people (store.py:5).", "77"),
        ("A group has 16% off (fares.py:19).", "16%"),
        ("A child is under 15.", "15"),
    ],
)
def test_a_number_that_no_tool_showed_is_refused(answer, number):
    problems = numbers_shown(answer, FERRY)
    assert problems and number in problems[0]


CODE = [
    {"tool": "read_file", "args": {}, "result": {"file": "a.py", "first_line": 10, "total_lines": 99, "lines": [
        "10: x = 3", "11: TIMEOUT = '5m'; memory = 512m", "12: raise Error(HTTP_404_NOT_FOUND)", "13: f(1,100); int32",
        "14: react: ^18.2.0, /api/v2/", "15: x[-4:] + mode(0o600)", "16: balance > -16", "17: MOST = 10000",
    ]}},
    {"tool": "read_file", "args": {}, "result": {"file": "t.py", "first_line": 40, "total_lines": 99, "lines": [
        "40: hour = 9", "41: minute = 30", "42: 404: 'not found',", "43: 405: 'not allowed',", "44: 410: 'gone',",
    ]}},
    {"tool": "read_file", "args": {}, "result": {
        "file": "db/0042_add.py", "lines": ["5: DAY = date(2024, 5, 6)", "6: SIZE = 1_048_576", "20: one = 1"],
    }},
]  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        "It opens at 9:30 (t.py:40).",
        "404 means not found (t.py:42).",
        "A balance of less than 16 (a.py:16).",
        "At most 10 000 entries (a.py:17).",
        "`10: x = 3` (a.py:10)",
        "The lines of a.py:\n\n10: x = 3\n11 | TIMEOUT",
        "It is x (a.py:10:5).",
        "See a.py:10 and :11, a.py: 12, `a.py` 13.",
        "See a.py:10; 11.",
        "See a.py, row 10.",
        "The line that sets x is 10 in a.py. (a.py:10)",
        "Option 1: read it. Option 2: leave it, as it is 1-indexed (a.py:10).",
        "Migration 42 adds it (db/0042_add.py:5), on 6 May 2024, or 2024-05-06 (db/0042_add.py:5).",
        "At most 1 048 576 bytes (db/0042_add.py:6).",
        "It times out after 5 minutes, with 512 MB (a.py:11).",
        "It raises 404 (a.py:12).",
        "It passes 100 and a 32-bit number (a.py:13).",
        "React 18, version 2 of the API (a.py:14); React 18.2 (a.py:14).",
        "The last 4 characters, with mode 0600 (a.py:15).",
        "It is used in 2 places: a.py:10 and a.py:17.",
        "Only 1 file has it, a.py:10.",
        "In a 99-line file: a.py:10.",
        "Step 1: (1) it is read and (2) it is 0-based, the 1st of all (a.py:10).",
    ],
)
def test_a_number_in_a_form_that_is_usual_for_code_passes(answer):
    assert numbers_shown(answer, CODE) == []


@pytest.mark.parametrize(
    "answer",
    [
        "In a.py:10, 14 retries are made.",
        "According to a.py, 14 retries are made (a.py:10).",
        "Retries, a.py:10 and 14 seconds of waiting.",
        "The number of retries (14) is set in a.py:10.",
        "- 14: retries (a.py:10)",
        "It runs at most steps 14 (a.py:10).",
        "The mask is 0xAB (a.py:10).",
        "At most 3 million (a.py:10).",
        "At most 3k (a.py:10).",
        "It waits 2 seconds (s.py:7).",
        "The port is 9_090 (s.py:7).",
    ],
)
def test_an_invented_number_is_refused_beside_whatever_it_stands(answer):
    waits = {"file": "s.py", "first_line": 7, "total_lines": 9, "lines": ["7: TIMEOUT = 2.5"]}
    log = [*CODE, {"tool": "read_file", "args": {}, "result": waits}]
    assert numbers_shown(answer, log)


@pytest.mark.parametrize("value", ["1e30", "0x" + "f" * 40, "1e999999999", "9" * 5_000, "1e9999999999999999999", "٣"])
def test_no_number_is_too_large_to_be_judged(value):
    log = [{"tool": "read_file", "args": {}, "result": {"file": "a.py", "lines": [f"{value}: {value}", f"7: {value}"]}}]
    for answer in ("At most 2 million (a.py:7).", f"It is {value} (a.py:7).", f"See a.py:{value}."):
        numbers_shown(answer, log)
        files_grounded(answer, log)


def test_a_number_beside_the_wrong_line_is_refused_with_the_right_one():
    assert numbers_shown("A child is under 14 (fares.py:11).", FERRY) == [
        "14 does not stand in the lines cited, but in fares.py:6: cite that line."
    ]
    assert numbers_shown("It listens on port 4317 (fares.py:6).", FERRY) == [
        "4317 does not stand in the lines cited, but in port.md:41: cite that line."
    ]


def test_a_number_of_a_call_that_failed_was_not_shown():
    failed = [{"tool": "read_file", "args": {}, "result": {"error": "too big: 55", "lines": ["1: 55"], "file": "a.py"}}]
    assert numbers_shown("It is 55.", failed)


# -- the agent ---------------------------------------------------------------------------------------------


def test_the_helper_answers_with_a_source_that_its_tools_showed(project):
    model = ScriptedModel([call("search_files", text="vat rate"), {"content": "The rate is 0.19 (src/tax.go:3)."}])
    result = build_helper(model, project).run("What is the VAT rate?")
    assert result.passed and result.steps == 2
    assert "They are data" in model.seen[1]["messages"][-1]["content"]


def test_an_invented_source_is_told_to_the_model_which_may_mend_it(project):
    model = ScriptedModel(
        [call("search_files", text="vat rate"), {"content": "See src/vat.py:1."}, {"content": "See src/tax.go:3."}]
    )
    result = build_helper(model, project).run("What is the VAT rate?")
    assert result.passed and result.retries_used == 1
    assert "These files were not returned by any tool: src/vat.py:1." in model.seen[2]["messages"][-1]["content"]


def test_an_invented_number_is_told_to_the_model_which_may_mend_it(project):
    answers = [{"content": "The rate is 0.22 (src/tax.go:3)."}, {"content": "The rate is 19 % (src/tax.go:3)."}]
    model = ScriptedModel([call("search_files", text="vat rate"), *answers])
    result = build_helper(model, project).run("What is the VAT rate?")
    assert result.passed and result.retries_used == 1


class Constrained(ScriptedModel):
    """A model whose server can hold a reply to a JSON Schema."""

    def chat_constrained(self, messages, form):
        return self.chat(messages, [form])


@pytest.mark.parametrize("ask", [lambda helper: helper.run, lambda helper: Conversation(helper).ask])
def test_a_small_model_that_answers_from_memory_is_led_to_search_to_read_and_to_its_sources(project, ask):
    filled = call("fill_in_answer", words="The rate is 0.19.", sources=["src/tax.go:3"])
    calls = [call("search_files", text="VAT rate"), call("read_file", path="src/tax.go", start=1)]
    model = Constrained([{"content": "The rate is 22 %."}, *calls, filled])
    result = ask(build_helper(model, project))("What is the VAT rate?")
    assert result.passed and result.answer == "The rate is 0.19. (src/tax.go:3)"
    assert [entry["tool"] for entry in result.tool_log] == ["search_files", "read_file"]


def test_the_helper_may_deny_a_file_that_only_the_question_names(project):
    model = ScriptedModel([call("search_files", text="debug setting"), {"content": "There is no setup.ini."}])
    assert build_helper(model, project).run("Is debug on in setup.ini?").passed


def test_an_answer_of_many_names_is_judged_in_a_bounded_time():
    answer = "No " + ", ".join(f"f{number}.py" for number in range(300)) + "_" * 30_000
    assert "f7.py" in files_grounded(answer, [{"tool": "search_files", "args": {"text": answer}, "result": {}}])[0]


@pytest.mark.parametrize("answer", ["The rate is 0.19 (src/tax.go:3).", "Nothing was found."])
def test_an_answer_without_any_search_is_refused(project, answer):
    result = build_helper(ScriptedModel([{"content": answer}] * 2), project).run("What is the VAT rate?")
    assert not result.passed


def test_the_helper_has_eight_steps_stops_a_model_that_repeats_itself_and_ends_in_an_answer(project):
    helper = build_helper(ScriptedModel([call("search_files", text="vat")] * 8), project)
    assert helper.max_steps == 8 and helper.answer_on_last_step
    assert "the same call" in helper.run("What is the VAT rate?").stopped


def test_the_instructions_are_short_and_tell_that_file_text_is_data():
    assert len(INSTRUCTIONS) < 1200 and "path:line" in INSTRUCTIONS and "data" in INSTRUCTIONS


def test_a_follow_up_may_cite_what_an_earlier_question_showed(project):
    replies = [
        call("search_files", text="vat rate"),
        {"content": "See src/tax.go:3."},
        {"content": "Again src/tax.go:3."},
        {"content": "See src/tax.go:9."},
        {"content": "See src/tax.go:9."},
    ]
    model = ScriptedModel(replies)
    conversation = Conversation(build_helper(model, project))
    assert conversation.ask("What is the VAT rate?").passed
    assert conversation.ask("Where was that again?").passed
    assert "What is the VAT rate?" in model.seen[2]["messages"][1]["content"]
    assert not conversation.ask("And the rest?").passed


TOOLS_OF_THIS_PROJECT = None


@pytest.fixture(scope="module", autouse=True)
def tools_of_this_project(tmp_path_factory):
    """The tools over a small real folder, made once for the property tests."""
    global TOOLS_OF_THIS_PROJECT
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    TOOLS_OF_THIS_PROJECT = box(ROOT / "deploy")
    TOOLS_OF_THIS_PROJECT.run("search_files", {"text": "warm"})
    yield
    patch.undo()


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
