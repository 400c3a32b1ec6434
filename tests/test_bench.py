"""`python eval/bench.py`: it offers the benchmarks there are, and each of them can be started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from eval import bench


def test_the_benchmarks_are_those_of_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "`eval/bench.py " in line and "speed" in line)
    assert [name for name in bench.benchmarks() if name not in line] == []


@pytest.mark.parametrize("name", bench.benchmarks())
def test_every_benchmark_that_is_offered_has_help_with_an_example(name, capsys):
    with pytest.raises(SystemExit) as ended:
        bench.main([name, "--help"])
    assert ended.value.code == 0
    assert f"Example: python eval/bench.py {name}" in " ".join(capsys.readouterr().out.split())


def test_what_is_no_benchmark_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        bench.main(["peers"])
    assert ended.value.code == 2
    assert "invalid choice: 'peers'" in capsys.readouterr().err


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q"]))
