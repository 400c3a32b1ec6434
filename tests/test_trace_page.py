"""The page of a trace: complete, in order, safe to open, readable without a script, each fact linked to its source."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from web.trace_page import render

NASTY = "<script>alert(1)</script> & \"quotes\" 'too' </pre><img src=x onerror=alert(1)>"
VOID = {"meta", "img", "br", "hr", "link", "input"}


def event(kind, agent="reporter", second=0, **more):
    return {"time": f"2026-10-28T14:05:{second:02d}.000Z", "agent": agent, "kind": kind, **more}


TABLE = [{"player": "hard", "elo": 1246}, {"player": "easy", "elo": 1151}]
RUN = [
    event("run", agent="run_team", program="run_team", format=1, options={"seed": 7}),
    event("task", text="Write the report.", instructions="Use the tools.", second=1),
    event("reply", step=1, message={"tool_calls": [{"function": {"name": "standings", "arguments": {}}}]}, seconds=0.5),
    event("approval", step=1, tool="standings", args={"id": 1}, approved=True, second=2),
    event("call", step=1, tool="standings", args={"id": 1}, second=2),
    event("tool", step=1, tool="standings", args={"id": 1}, result={"table": TABLE}, second=3),
    event("answer", step=2, text="Hard has Elo 1246 and 999 friends.", problems=["999 is wrong."], second=4),
    event("answer", step=3, text="Hard has Elo 1246.", problems=[], second=5),
    event("stopped", agent="manager", step=1, reason="step limit reached", second=6),
    event("error", agent="manager", step=1, error="ModelTimeout", text="no answer in 120 s", second=9),
]


class Reader(HTMLParser):
    """Reads a page strictly: every tag is closed, in order; collects tags, ids and links."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids, self.links, self.words = [], [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if "href" in attributes:
            self.links.append(attributes["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_every_fact_links_to_the_very_value_that_supports_it():
    page = render(RUN)
    anchor = re.search(r'<a class="fact" href="#([^"]+)" title="standings, call 1: table\[0\].elo"[^>]*>1246</a>', page)
    assert anchor and f'<span class="value" id="{anchor[1]}">1246</span>' in page


def test_a_fact_without_a_source_stands_out_and_says_so():
    page = render(RUN)
    assert '<mark class="unsupported" title="No tool gave this.">999</mark>' in page
    assert "3, 1 without a source" in page  # 1246 twice, 999 once


def test_all_that_happened_stands_from_top_to_bottom():
    words = " ".join(" ".join(Reader(render(RUN)).words).split())
    places = [
        words.index(text)
        for text in (
            "the run begins",
            "Write the report.",
            "the model replied",
            "standings was approved",
            "runs standings",
            "standings returned",
            "answer with problems",
            "999 is wrong.",
            "step limit reached",
            "no answer in 120 s",
        )
    ]
    assert places == sorted(places)
    assert "+9.0 s" in words and "2026-10-28 14:05:03" in words and "step 2" in words


def test_the_page_needs_no_network_and_no_script():
    reader = Reader(render(RUN))
    assert not {tag for tag, _ in reader.tags} & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)
    assert all(link.startswith("#") for link in reader.links)
    assert "url(" not in render(RUN) and "@import" not in render(RUN)


def test_every_link_leads_somewhere_and_no_id_stands_twice():
    reader = Reader(render(RUN))
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))


def test_paper_shows_the_sources_too():
    page = render(RUN)
    assert "@media print" in page and 'data-source="standings, call 1: table[0].elo"' in page


def test_texts_of_models_and_tools_are_never_markup():
    events = [
        event("run", agent=NASTY, program=NASTY),
        event("task", agent=NASTY, text=NASTY, instructions=NASTY),
        event(
            "tool", agent=NASTY, tool=NASTY, args={NASTY: NASTY}, result={NASTY: [NASTY, 7], "n": 7}, converted=NASTY
        ),
        event("reply", agent=NASTY, message={"content": NASTY, "tool_calls": [{NASTY: NASTY}]}),
        event("answer", agent=NASTY, text=f"{NASTY} 7 8", problems=[NASTY]),
        event(NASTY, agent=NASTY, anything=NASTY),
        event("approval", tool=NASTY, args=NASTY, approved=False),
        event("error", error=NASTY, text=NASTY),
    ]
    reader = Reader(render(events))
    assert not {tag for tag, _ in reader.tags} & {"script", "img"}
    assert NASTY in " ".join(reader.words)


def test_an_answer_is_bound_to_its_own_agents_tools():
    events = [
        event("task", agent="a"),
        event("tool", agent="a", tool="t", args={}, result={"x": 5}),
        event("task", agent="b"),
        event("answer", agent="b", text="It is 5.", problems=[]),
        event("answer", agent="a", text="It is 5.", problems=[]),
    ]
    page = render(events)
    assert page.count('<mark class="unsupported"') == 1 and page.count('class="fact"') == 1


def test_a_result_that_is_json_text_is_read_as_json():
    events = [event("task"), event("tool", tool="t", args={}, result='{"x": 5}'), event("answer", text="5")]
    assert '<span class="value" id="e1-v0">5</span>' in render(events)


def test_half_a_character_does_not_stop_the_page():
    render([event("task", text="\ud800"), event("answer", text="\ud800 5", problems=["\ud800"])]).encode("utf-8")


def test_an_empty_trace_is_a_page_too():
    assert "This trace holds no events." in render([])


def test_a_very_long_result_is_cut_with_a_notice():
    page = render([event("task"), event("tool", tool="t", args={}, result={"text": "x" * 300_000})])
    assert len(page) < 60_000 and "more letters are in the trace" in page


wild = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
KINDS = st.sampled_from(["run", "task", "reply", "call", "approval", "tool", "answer", "stopped", "error", "odd"])
FIELDS = st.sampled_from(["time", "agent", "step", "text", "result", "args", "message", "problems", "seconds"])


@given(st.lists(st.tuples(KINDS, st.dictionaries(FIELDS, wild)), max_size=6))
@settings(max_examples=150, deadline=None)
def test_any_events_make_a_well_formed_page(pairs):
    events = [{**fields, "kind": kind} for kind, fields in pairs]
    reader = Reader(render(events))
    assert reader.open == []
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    render(events).encode("utf-8")


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
