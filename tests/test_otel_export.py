"""Traces as OpenTelemetry spans: names from the official conventions, parents and times from the trace itself.

The traces are written here line by line, so that each span's place and times can be read off them, or by agentkit
with scripted models. Which attributes exist is asked of the official package of the conventions; what a collector
is sent is decoded with the official protocol's own classes.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from library_programs import Programs, python_of

from agentkit import Agent, ScriptedModel, Tracer, agent_as_tool, succeeded, tool

MODEL = {"provider": "ollama", "model": "qwen3", "url": "http://127.0.0.1:11434", "temperature": 0.5, "seed": 7}


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    started = Programs(tmp_path)
    yield started
    assert started.left == [], "a program tried to leave this machine"


def at(seconds: float) -> str:
    """The time this many seconds after two o'clock."""
    return f"2026-10-28T14:00:{seconds:06.3f}Z"


def event(when: float, kind: str, agent: str = "director", **rest: Any) -> dict[str, Any]:
    return {"time": at(when), "agent": agent, "kind": kind, **rest}


HEADER = event(0, "run", "run_team", format=1, program="run_team", model=MODEL)
TASK = event(1, "task", text="Play.")
USAGE = {"tokens_in": 120, "tokens_out": 30, "cut": False}
ASKING = {"content": "", "tool_calls": [{"function": {"name": "standings", "arguments": {}}}], "usage": USAGE}
REPLY = event(3, "reply", step=1, message={"content": "7"}, seconds=1)
ONE_CALL = [
    HEADER,
    TASK,
    event(3, "reply", step=1, message=ASKING, seconds=1.5),
    event(3, "call", step=1, tool="standings", args={"tournament_id": "20261028-140501"}),
    event(3.25, "tool", step=1, tool="standings", args={}, result={"table": []}),
    event(5, "reply", step=2, message={"content": "Nobody won.", "usage": USAGE}, seconds=1),
    event(5.125, "answer", step=2, text="Nobody won.", problems=[]),
]


def export(programs: Programs, events: list[dict[str, Any]] | Path, *args: object) -> list[dict[str, Any]]:
    """The spans of a trace, in the order in which they began."""
    path = events if isinstance(events, Path) else programs.elsewhere / "trace.jsonl"
    if not isinstance(events, Path):
        path.write_text("".join(json.dumps(each) + "\n" for each in events), encoding="utf-8")
    done = programs.library(python_of("otel"), "otel_export", path, *args)
    assert done.returncode == 0, done.stderr
    spans = [json.loads(line) for line in done.stdout.splitlines()]
    return sorted(spans, key=lambda span: span["start_time"])


def tree(spans: list[dict[str, Any]]) -> dict[str, str | None]:
    """Each span's name with its parent's."""
    names = {span["context"]["span_id"]: span["name"] for span in spans}
    return {span["name"]: names.get(span["parent_id"]) for span in spans}


def named(spans: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(span for span in spans if span["name"] == name)


def times(span: dict[str, Any]) -> tuple[str, str]:
    return span["start_time"][11:23], span["end_time"][11:23]


# ---- one agent --------------------------------------------------------------------------------------------


def test_a_run_becomes_workflow_agent_chats_and_tools(programs):
    spans = export(programs, ONE_CALL)
    assert tree(spans) == {
        "invoke_workflow run_team": None,
        "invoke_agent director": "invoke_workflow run_team",
        "chat qwen3": "invoke_agent director",
        "execute_tool standings": "invoke_agent director",
    }
    assert [span["name"] for span in spans].count("chat qwen3") == 2
    kinds = {span["name"].split()[0]: span["kind"].removeprefix("SpanKind.") for span in spans}
    assert kinds == {
        "invoke_workflow": "INTERNAL", "invoke_agent": "INTERNAL", "execute_tool": "INTERNAL", "chat": "CLIENT",
    }  # fmt: skip
    assert {span["attributes"]["gen_ai.operation.name"] for span in spans} == set(kinds)
    assert len({span["context"]["trace_id"] for span in spans}) == 1
    assert {span["status"]["status_code"] for span in spans} == {"UNSET"}


def test_a_span_begins_and_ends_when_the_trace_says(programs):
    spans = export(programs, ONE_CALL)
    assert times(named(spans, "invoke_workflow run_team")) == ("14:00:00.000", "14:00:05.125")
    assert times(named(spans, "invoke_agent director")) == ("14:00:01.000", "14:00:05.125")
    assert times(named(spans, "chat qwen3")) == ("14:00:01.500", "14:00:03.000")  # its reply took 1.5 s
    assert times(named(spans, "execute_tool standings")) == ("14:00:03.000", "14:00:03.250")


def test_a_chat_says_which_model_was_asked_where_and_what_it_cost(programs):
    attributes = named(export(programs, ONE_CALL), "chat qwen3")["attributes"]
    assert attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "ollama",
        "gen_ai.request.model": "qwen3",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.seed": 7,
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 30,
        "gen_ai.response.finish_reasons": ["tool_calls"],
        "server.address": "127.0.0.1",
        "server.port": 11434,
    }


def test_words_of_tools_go_along_only_on_request(programs):
    assert "20261028-140501" not in json.dumps(export(programs, ONE_CALL))
    attributes = named(export(programs, ONE_CALL, "--content"), "execute_tool standings")["attributes"]
    assert json.loads(attributes["gen_ai.tool.call.arguments"]) == {"tournament_id": "20261028-140501"}
    assert json.loads(attributes["gen_ai.tool.call.result"]) == {"table": []}


def test_a_checks_verdict_is_an_evaluation_event_of_its_agent(programs):
    problems = ["These numbers did not come from any tool: 7."]
    wrong = event(3, "answer", step=1, text="7", problems=problems)
    spans = export(programs, [HEADER, TASK, REPLY, wrong, *ONE_CALL[5:]])
    director = named(spans, "invoke_agent director")
    verdicts = [each["attributes"] for each in director["events"]]
    assert [each["gen_ai.evaluation.score.label"] for each in verdicts] == ["fail", "pass"]
    assert verdicts[0]["gen_ai.evaluation.explanation"] == problems[0]
    assert director["status"]["status_code"] == "UNSET"  # it was put right


ENDINGS = {
    "check_failed": [REPLY, event(3, "answer", step=1, text="7", problems=["There was no answer."])],
    "stopped": [REPLY, event(3, "stopped", step=1, reason="step limit reached")],
    "ModelTimeout": [event(4, "error", step=1, error="ModelTimeout", text="No reply within 3 s.")],
    "unfinished": [REPLY],
}


@pytest.mark.parametrize("kind", ENDINGS)
def test_an_agent_that_did_not_end_well_is_an_error_of_that_kind(programs, kind):
    spans = export(programs, [HEADER, TASK, *ENDINGS[kind]])
    director = named(spans, "invoke_agent director")
    assert director["status"]["status_code"] == "ERROR"
    assert director["attributes"]["error.type"] == kind
    if kind == "ModelTimeout":
        assert named(spans, "chat qwen3")["status"]["description"] == "No reply within 3 s."
        assert times(named(spans, "chat qwen3")) == ("14:00:01.000", "14:00:04.000")


def test_a_tools_error_is_an_error_of_its_span_alone(programs):
    failed = event(3.25, "tool", step=1, tool="standings", args={}, result={"error": "There is no tournament 1."})
    spans = export(programs, [*ONE_CALL[:4], failed, *ONE_CALL[5:]])
    assert named(spans, "execute_tool standings")["status"] == {
        "status_code": "ERROR", "description": "There is no tournament 1.",
    }  # fmt: skip
    assert named(spans, "invoke_agent director")["status"]["status_code"] == "UNSET"


def test_an_approval_is_an_event_of_the_call_that_waited_for_it(programs):
    approval = event(3.125, "approval", step=1, tool="standings", args={}, approved=True)
    spans = export(programs, [*ONE_CALL[:4], approval, *ONE_CALL[4:]])
    (seen,) = named(spans, "execute_tool standings")["events"]
    assert seen["name"] == "approval" and seen["attributes"]["approved"] is True
    assert seen["timestamp"].startswith("2026-10-28T14:00:03.125")


def test_a_run_that_was_killed_in_a_tool_leaves_its_spans_open_ended(programs, tmp_path):
    path = tmp_path / "killed.jsonl"
    lines = [json.dumps(each) for each in ONE_CALL[:4]]
    path.write_text("\n".join([*lines, '{"time": "2026-10-28T14:00']), encoding="utf-8")
    spans = export(programs, path)
    assert named(spans, "execute_tool standings")["attributes"]["error.type"] == "unfinished"
    assert named(spans, "invoke_agent director")["attributes"]["error.type"] == "unfinished"


def test_agents_one_after_the_other_stand_side_by_side(programs):
    second = [event(6, "task", "analyst", text="Study."), event(8, "answer", "analyst", step=1, text="x", problems=[])]
    saved = event(9, "saved", "run_team", path="reports/report-1.md")
    spans = export(programs, [*ONE_CALL, *second, saved])
    assert tree(spans)["invoke_agent analyst"] == "invoke_workflow run_team"
    assert times(named(spans, "invoke_agent director"))[1] == "14:00:05.125"
    assert times(named(spans, "invoke_workflow run_team"))[1] == "14:00:09.000"
    (seen,) = named(spans, "invoke_workflow run_team")["events"]
    assert (seen["name"], seen["attributes"]) == ("saved", {"path": "reports/report-1.md"})


# ---- with agentkit ------------------------------------------------------------------------------------------


@tool
def count() -> dict:
    """Count to two."""
    return {"two": 2}


def call(name: str, **arguments: object) -> dict:
    return {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


@pytest.fixture
def managed(tmp_path: Path) -> Path:
    """The trace of a manager who asks one agent twice; the first time it had to be put right."""
    tracer = Tracer(tmp_path / "managed.jsonl")
    replies = [{"content": "Two."}, call("count"), {"content": "Two."}, call("count"), {"content": "Two."}]
    counter = Agent("counter", "Count.", [count], ScriptedModel(replies), check=succeeded("count"), tracer=tracer)
    asked = [call("ask_counter", task="Count."), call("ask_counter", task="Again."), {"content": "Two and two."}]
    tools = [agent_as_tool(counter, "Ask the counter.")]
    assert Agent("manager", "Manage.", tools, ScriptedModel(asked), tracer=tracer).run("Count twice.").passed
    return tracer.path


def test_an_agent_that_was_asked_stands_below_the_call_that_asked(programs, managed):
    spans = export(programs, managed)
    names = [span["name"] for span in spans]
    assert names.count("execute_tool ask_counter") == names.count("invoke_agent counter") == 2
    parents = {span["context"]["span_id"]: span for span in spans}
    calls = [parents[span["parent_id"]] for span in spans if span["name"] == "invoke_agent counter"]
    assert [parent["name"] for parent in calls] == ["execute_tool ask_counter"] * 2
    assert calls[0] is not calls[1]
    assert tree(spans)["execute_tool count"] == "invoke_agent counter"
    for span in spans:
        parent = parents.get(span["parent_id"])
        assert span["start_time"] <= span["end_time"]
        if parent:
            assert parent["start_time"] <= span["start_time"] and span["end_time"] <= parent["end_time"]
    assert {span["status"]["status_code"] for span in spans} == {"UNSET"}


OFFICIAL = """
import json
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names
print(json.dumps([value for key, value in vars(names).items() if key.isupper() and isinstance(value, str)]))
print(json.dumps([each.value for each in names.GenAiOperationNameValues]))
"""


def test_every_attribute_and_operation_is_one_of_the_official_conventions(programs, managed):
    done = programs.code(python_of("otel"), OFFICIAL)
    attributes, operations = map(json.loads, done.stdout.splitlines())
    spans = [*export(programs, managed, "--content"), *export(programs, ONE_CALL)]
    carriers = [part for span in spans for part in (span, *span["events"])]
    used = {key for part in carriers for key in part["attributes"] if key.startswith("gen_ai.")}
    assert len(used) > 10 and used <= set(attributes)
    assert {span["attributes"]["gen_ai.operation.name"] for span in spans} <= set(operations)


def test_the_same_trace_gives_the_same_ids_and_another_one_others(programs, managed):
    first, again = export(programs, managed), export(programs, managed)
    assert first == again
    other = export(programs, ONE_CALL)
    assert other[0]["context"]["trace_id"] != first[0]["context"]["trace_id"]
    assert len({span["context"]["span_id"] for span in first}) == len(first)


# ---- to a collector -----------------------------------------------------------------------------------------

DECODE = """
import json
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
request = ExportTraceServiceRequest.FromString(bytes.fromhex(sys.stdin.read()))
spans = [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]
service = {each.key: each.value.string_value for each in request.resource_spans[0].resource.attributes}
rows = [[span.name, span.trace_id.hex(), span.end_time_unix_nano] for span in spans]
print(json.dumps({"service": service["service.name"], "spans": rows}))
"""


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """(where it is, the bodies that it was sent): a server that takes everything."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/traces", bodies
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.loopback
def test_a_collector_gets_all_spans_in_the_official_protocol(programs, managed, collector):
    url, bodies = collector
    printed = export(programs, managed)
    assert bodies == []  # nothing is sent unless an address was given
    settings = {"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "none"}
    done = programs.library(python_of("otel"), "otel_export", managed, "--otlp", url, **settings)
    assert (done.returncode, done.stdout) == (0, "")
    decoded = programs.run(python_of("otel"), "-c", "import sys" + DECODE, text=bodies[0].hex())
    sent = json.loads(decoded.stdout)
    assert sent["service"] == "draughts-agents"
    assert sorted(name for name, _, _ in sent["spans"]) == sorted(span["name"] for span in printed)
    assert {f"0x{trace}" for _, trace, _ in sent["spans"]} == {printed[0]["context"]["trace_id"]}
    assert all(ended % 1_000_000 == 0 for _, _, ended in sent["spans"])  # whole milliseconds, as in the trace


@pytest.mark.loopback
def test_a_collector_that_is_not_there_is_a_negative_answer(programs, managed):
    done = programs.library(python_of("otel"), "otel_export", managed, "--otlp", "http://127.0.0.1:9/v1/traces")
    assert done.returncode == 1 and "not taken by http://127.0.0.1:9/v1/traces" in done.stderr


# ---- the program --------------------------------------------------------------------------------------------


def test_spans_can_be_written_to_a_file(programs, managed):
    out = programs.elsewhere / "spans.jsonl"
    assert export(programs, managed, "--out", out) == []
    spans = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sorted(spans, key=lambda span: span["start_time"]) == export(programs, managed)


@pytest.mark.parametrize("content", [None, "", "this is no trace\n", '{"kind": "task", "agent": "a"}\n'])
def test_a_file_that_is_no_trace_is_refused_in_words(programs, tmp_path, content):
    path = tmp_path / "wrong.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = programs.library(python_of("otel"), "otel_export", path)
    assert done.returncode == 2 and "wrong.jsonl cannot be exported" in done.stderr
    assert "Traceback" not in done.stderr


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
