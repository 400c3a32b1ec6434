"""A trace file as OpenTelemetry spans, with the official SDK, in the words of its GenAI conventions.

    python -m pip install -r library/requirements-otel.txt
    python library/otel_export.py data/traces/20261028-140501.jsonl                 # one JSON span a line
    python library/otel_export.py TRACE --otlp http://127.0.0.1:4318/v1/traces      # to a collector

The same file always gives the same ids, so that a collector that gets it twice does not count it twice.

Not here: which spans there are (otel_spans.py says), watching a run while it goes on, the words of prompts and
answers. Arguments and results of tools go along only with --content, as the conventions want it. Nothing leaves the
machine unless --otlp says where to.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # started as a program: agentkit and agents need no installation
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agentkit.trace import read_trace
from agents.program import run_as_program
from library.otel_spans import Event, SpanMaker

# --- With the SDK -----------------------------------------------------------------------------------------


def spans_of(events: Sequence[Event], name: str, with_content: bool = False) -> tuple[Any, ...]:
    """The finished spans of a trace's events, in the order in which they ended. Raises ValueError without events."""
    if not events:
        raise ValueError("the trace holds no event")
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.sdk.trace.sampling import ALWAYS_ON

    finished = InMemorySpanExporter()
    about = {"service.name": "draughts-agents", "service.instance.id": name}  # not the SDK's id by chance
    provider = TracerProvider(sampler=ALWAYS_ON, resource=Resource.create(about), id_generator=steady_ids(events[0]))
    provider.add_span_processor(SimpleSpanProcessor(finished))
    SpanMaker(provider.get_tracer("agentkit"), with_content).make(events, name)
    return finished.get_finished_spans()


def steady_ids(first: Event) -> Any:
    """The SDK's source of ids, made from the trace's first event in place of chance."""
    from opentelemetry.sdk.trace.id_generator import IdGenerator

    class Steady(IdGenerator):
        def __init__(self) -> None:
            self.spans = 0

        def _digest(self, what: str) -> bytes:
            return hashlib.sha256(f"{json.dumps(first, sort_keys=True)} {what}".encode()).digest()

        def generate_trace_id(self) -> int:
            return int.from_bytes(self._digest("trace")[:16], "big")

        def generate_span_id(self) -> int:
            self.spans += 1
            return int.from_bytes(self._digest(f"span {self.spans}")[:8], "big")

    return Steady()


def send(spans: Iterable[Any], url: str) -> bool:
    """Send the spans to a collector (OTLP over HTTP); False when it did not take them."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import SpanExportResult

    exporter = OTLPSpanExporter(endpoint=url, timeout=10)
    try:
        return exporter.export(list(spans)) is SpanExportResult.SUCCESS
    finally:
        exporter.shutdown()


# --- The program ------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="otel_export.py",
        description="A trace file as OpenTelemetry spans: one JSON object a line, or to a collector.",
        epilog="Example: python library/otel_export.py data/traces/20261028-140501.jsonl --out spans.jsonl",
    )
    made.add_argument("trace", type=Path, metavar="TRACE", help="the file that run_team.py named")
    made.add_argument("--out", type=Path, metavar="FILE", help="write the spans there, not to standard output")
    made.add_argument("--otlp", metavar="URL", help="send them there instead, such as http://127.0.0.1:4318/v1/traces")
    made.add_argument("--content", action="store_true", help="with the tools' arguments and results")
    return made


def main(argv: list[str] | None = None) -> int:
    """0: exported; 1: the collector did not take them; 2: no trace, or no library."""
    options = parser().parse_args(argv)
    problems: list[str] = []
    try:
        spans = spans_of(read_trace(options.trace, problems), options.trace.stem, options.content)
        for problem in problems:
            print(problem, file=sys.stderr)
        if options.otlp:
            taken = send(spans, options.otlp)
            words = f"sent to {options.otlp}" if taken else f"not taken by {options.otlp}: is a collector there?"
            print(f"{len(spans)} spans {words}", file=sys.stderr)
            return 0 if taken else 1
        lines = "".join(f"{span.to_json(indent=None)}\n" for span in spans)
        if options.out:
            options.out.write_text(lines, encoding="utf-8")
        else:
            sys.stdout.write(lines)
    except ImportError as error:
        print(f"{error}. Install it: python -m pip install -r library/requirements-otel.txt", file=sys.stderr)
        return 2
    except (OSError, ValueError, KeyError) as error:
        print(f"{options.trace} cannot be exported: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
