"""Learn which words programmers use for the same things: makes agents/codebase/related_words.txt.

    python -m pip install numpy scipy
    python -m pip download --no-deps --only-binary :all: -d wheels PACKAGES   # then unpack each into sources/NAME
    python eval/learn_related_words.py sources > agents/codebase/related_words.txt

A word is known by its company: two words that stand among the same words are related ("credentials",
"password", "username"). Counted are pairs of stems at most ten words apart, nearer ones more; the counts
become positive pointwise mutual information, that is reduced to 150 dimensions, and related are the words
whose vectors point the same way (O. Levy and Y. Goldberg, "Neural Word Embedding as Implicit Matrix
Factorization", 2014; the context's counts to the power 0.75 are theirs).

Kept are words that at least twelve packages use, each with up to eight others at a cosine of 0.55 or more.
The sources must not hold the projects that the search is measured on: folders called after Flask, Werkzeug
or Django are passed over. The table knows no question and no project; it is the same for every folder.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: the project's folder is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.codebase.words import STOP_WORDS, pieces, stem
from agents.program import run_as_program

MEASURED = re.compile("flask|werkzeug|django", re.IGNORECASE)
NOT_READ = frozenset({"test", "tests", "_vendor", "vendor", "vendored"})
ENDINGS = (".py", ".txt", ".rst", ".md")
LARGEST = 400_000
WORDS = 8000
REACH = 10
DIMENSIONS = 150
FEWEST_PACKAGES = 12
MOST_RELATED = 8
LOWEST_COSINE = 0.55
PYTHON_WORDS = frozenset(
    ["arg", "cl", "def", "fals", "from", "import", "int", "kwarg", "len", "none", "return", "self", "str", "true"]
)


def texts(sources: Path) -> Iterator[tuple[str, list[str]]]:
    """(package, words) of each file, no text twice. A folder of the standard library counts as a package."""
    seen: set[str] = set()
    for path in sorted(sources.rglob("*")):
        inner = path.relative_to(sources).parts
        if path.suffix not in ENDINGS or not NOT_READ.isdisjoint(inner) or MEASURED.search("/".join(inner)):
            continue
        if not path.is_file() or path.stat().st_size > LARGEST:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if text not in seen:
            seen.add(text)
            package = "/".join(inner[:2]) if inner[0] == "stdlib" else inner[0]
            yield package, [word for word in pieces(text) if len(word) > 1 and not word[0].isdigit()]


def together(documents: Sequence[list[int]], size: int) -> Any:
    """How often each two stems stand near each other, as a sparse symmetric matrix."""
    import numpy
    from scipy import sparse

    total = sparse.csr_matrix((size, size), dtype=numpy.float32)
    for start in range(0, len(documents), 400):
        run: list[int] = []
        for document in documents[start : start + 400]:
            run += [*document, *[-1] * REACH]
        ids = numpy.array(run, dtype=numpy.int64)
        for distance in range(1, REACH + 1):
            left, right = ids[:-distance], ids[distance:]
            both = (left >= 0) & (right >= 0)
            counts = numpy.full(int(both.sum()), 4 / (4 + distance), dtype=numpy.float32)
            total = total + sparse.coo_matrix((counts, (left[both], right[both])), shape=(size, size)).tocsr()
    total = total + total.T
    total.setdiag(0)
    total.eliminate_zeros()
    return total


def vectors(counts: Any) -> Any:
    """A unit vector for each stem."""
    import numpy
    from scipy import sparse
    from scipy.sparse.linalg import svds

    sums = numpy.asarray(counts.sum(1)).ravel()
    context = sums**0.75
    context /= context.sum()
    counts = counts.tocoo()
    information = numpy.log(counts.data / (sums[counts.row] * context[counts.col]))
    kept = information > 0
    matrix = sparse.csr_matrix(
        (information[kept], (counts.row[kept], counts.col[kept])), shape=counts.shape, dtype=numpy.float32
    )
    left, strengths, _ = svds(matrix, k=DIMENSIONS, v0=numpy.ones(matrix.shape[0], dtype=numpy.float32))
    found = left * numpy.sqrt(strengths)
    return found / (numpy.linalg.norm(found, axis=1, keepdims=True) + 1e-9)


def related(sources: Path) -> tuple[list[str], dict[str, list[tuple[str, float]]]]:
    """The packages read, and for each stem the words related to it with their cosine, nearest first."""
    import numpy

    files = list(texts(sources))
    written: Counter[str] = Counter(word for _, words in files for word in words)
    stems, usual, users = Counter[str](), dict[str, str](), defaultdict[str, set[str]](set)
    for word, count in written.most_common():
        stems[stem(word)] += count
        usual.setdefault(stem(word), word)
    for package, words in files:
        for word in set(words):
            users[stem(word)].add(package)
    left_out = PYTHON_WORDS | {stem(word) for word in STOP_WORDS}
    chosen = [name for name, _ in stems.most_common() if name not in left_out and len(name) > 1][:WORDS]
    number = {name: at for at, name in enumerate(chosen)}
    ids = [[number[stem(word)] for word in words if stem(word) in number] for _, words in files]
    space = vectors(together(ids, len(chosen)))
    kept = [
        at for at, name in enumerate(chosen) if len(users[name]) >= FEWEST_PACKAGES and len(name) > 2 and name.isalpha()
    ]
    cosines = space[kept] @ space[kept].T
    numpy.fill_diagonal(cosines, 0)
    table = {}
    for row, at in enumerate(kept):
        nearest = numpy.argsort(-cosines[row])[:MOST_RELATED]
        table[chosen[at]] = [
            (usual[chosen[kept[other]]], float(cosines[row, other]))
            for other in nearest
            if cosines[row, other] >= LOWEST_COSINE
        ]
    packages = sorted({package.split("/")[0] for package, _ in files})
    return packages, {name: words for name, words in table.items() if words}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table: a stem, then its related words, each with a hundred times its cosine. 2: it cannot be made."""
    parser = argparse.ArgumentParser(
        prog="learn_related_words.py",
        description="Make the table of related words.",
        epilog="Example: python eval/learn_related_words.py sources > related_words.txt",
    )
    parser.add_argument("sources", type=Path, help="a folder with one folder per package (and `stdlib`)")
    sources = parser.parse_args(argv).sources
    if not sources.is_dir():
        parser.error(f"{sources} is no folder: unpack the packages into one, as this program's opening says")
    try:
        packages, table = related(sources)
    except ImportError as error:
        print(f"{error}. Install it: python -m pip install numpy scipy", file=sys.stderr)
        return 2
    print("# Made by eval/learn_related_words.py from the texts of these packages:")
    print(f"# {', '.join(packages)}")
    print("# Each line: a stem, then words related to it, each with a hundred times the cosine between the two.")
    for name, words in sorted(table.items()):
        print(name, " ".join(f"{word} {round(100 * cosine)}" for word, cosine in words))
    return 0


if __name__ == "__main__":
    raise SystemExit(run_as_program(main))
