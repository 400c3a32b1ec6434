"""A scorecard as a picture: for each suite and model, a bar for the share that passed, with its 95 % interval.

Role: `svg(card)` returns one SVG document, drawn with nothing but text; it is read in a browser or beside the tables of
a README, in light and dark. Not here: any figure that is not in the card.
"""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

WIDTH = 760  # in user units, as everything below
LABELS, NUMBERS = 250, 150  # columns left and right of the bars
ROW, HEAD, FOOT = 34, 46, 34
BARS = WIDTH - LABELS - NUMBERS
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.title{font-weight:600;font-size:15px}.soft{fill:#666}"
    ".bar{fill:#3b7ea1}.span{stroke:#222;stroke-width:1.5}.grid{stroke:#ccc}"
    "@media(prefers-color-scheme:dark){text{fill:#eee}.soft{fill:#aaa}.bar{fill:#5aa0c4}.span{stroke:#eee}"
    ".grid{stroke:#555}}"
)


def svg(card: dict[str, Any]) -> str:
    """The picture of a card, as the text of an SVG file."""
    rows = card["summary"]
    height = HEAD + ROW * len(rows) + FOOT
    told = "; ".join(f"{row['suite']}, {row['model']}: {row['passed']} of {row['n']}" for row in rows) or "no runs"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape('Runs that passed and were complete: ' + told)}</title>",
        f"<style>{STYLE}</style>",
        '<text class="title" x="12" y="26">Passed and complete, with 95 % intervals</text>',
        *(_grid_line(percent, height) for percent in (0, 25, 50, 75, 100)),
        *(part for number, row in enumerate(rows) for part in _bar(row, HEAD + ROW * number)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(share: float) -> float:
    return round(LABELS + BARS * share, 1)


def _grid_line(percent: int, height: int) -> str:
    x, bottom = _x(percent / 100), height - FOOT
    line = f'<line class="grid" x1="{x}" y1="{HEAD - 6}" x2="{x}" y2="{bottom}"/>'
    return f'{line}<text class="soft" x="{x}" y="{bottom + 20}" text-anchor="middle">{percent} %</text>'


def _bar(row: dict[str, Any], top: int) -> list[str]:
    low, high = row["interval"]
    middle = top + ROW / 2
    share = row["passed"] / row["n"]
    label = f"{row['suite']}: {row['model']}"
    shown = label if len(label) <= 34 else f"{label[:33]}…"
    ends = [
        f'<line class="span" x1="{_x(end)}" y1="{middle - 5}" x2="{_x(end)}" y2="{middle + 5}"/>' for end in (low, high)
    ]
    return [
        f'<text x="12" y="{middle + 4}">{escape(shown)}</text>',
        f'<rect class="bar" x="{_x(0)}" y="{top + 6}" width="{round(BARS * share, 1)}" height="{ROW - 12}"/>',
        f'<line class="span" x1="{_x(low)}" y1="{middle}" x2="{_x(high)}" y2="{middle}"/>',
        *ends,
        f'<text x="{LABELS + BARS + 26}" y="{middle + 4}">{row["passed"]} of {row["n"]}</text>',
    ]
