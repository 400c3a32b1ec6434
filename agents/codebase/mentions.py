"""The files and lines that an answer speaks of.

`src/app.py:12`, `src/app.py:12-20`, `src/app.py#L12`, "src/app.py, lines 12 to 20", "line 12 of app.py",
and names such as `Makefile`. Not files: web addresses, hosts with a port (`localhost:8080`), calls and attributes
(`app.config.json()`, `request.json`), patterns (`*.py`), endings alone (`.py`), initials (U.S.) and products called
like files (Node.js). The label of a Markdown link, `[app.py](src/app.py#L3)`, stands for the file it leads to.

This module does NOT judge whether a file exists; it only reads. Names with spaces are found when they
are among the `known` ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

_ENDINGS_TEXT = """
    adoc asm astro awk bash bat bib c cc cfg clj cljs cmake cmd conf config cpp cs cshtml css csv cu cxx dart diff
    dockerfile elm env erl ex exs f90 fish fs fsx go gql gradle graphql groovy h hbs hcl hh hpp hrl hs htm html hxx
    ini inl ipynb java jinja jinja2 jl js json json5 jsonc jsonl jsx kt kts less lhs lisp lock log lua m4 mak make
    markdown md mdx mjs mk ml mli mm nim nix org pas patch php phtml pl plist pm po pot properties proto ps1 psm1 pug
    pxd py pyi pyx r rake rb rkt rmd rs rst s sass sbt scala scm scss sh sol sql svelte svg swift tcl tex tf thrift
    toml tpl ts tsv tsx txt v vb vhd vim vue wat xhtml xml xsd xsl yaml yml zig zsh
"""
_BINARY_TEXT = """
    bmp dll docx dylib exe gif gz ico jar jpeg jpg mp3 mp4 parquet pdf pem pickle pkl png pptx pyc pyd sqlite sqlite3
    tar tgz ttf wasm wav webm webp whl woff woff2 xls xlsx zip
"""
_ENDINGS = frozenset(f"{_ENDINGS_TEXT} {_BINARY_TEXT}".split())
_BARE_TEXT = """
    AUTHORS BUILD CHANGELOG CHANGES CODEOWNERS CONTRIBUTING COPYING Dockerfile Gemfile INSTALL Jenkinsfile Justfile
    Kconfig LICENCE LICENSE Makefile NOTICE Pipfile Podfile Procfile README Rakefile SConscript SConstruct TODO
    Vagrantfile WORKSPACE makefile justfile .dockerignore .editorconfig .env .envrc .eslintrc .flake8 .flaskenv
    .gitattributes .gitignore .gitmodules .agentignore .npmrc .prettierrc .pylintrc
"""
_BARE = frozenset(_BARE_TEXT.split())
_WORDS_TOO = frozenset(
    {
        "AUTHORS",
        "BUILD",
        "CHANGES",
        "INSTALL",
        "NOTICE",
        "TODO",
        "WORKSPACE",
        "README",
        "LICENSE",
        "LICENCE",
        "CHANGELOG",
        "CONTRIBUTING",
        "COPYING",
    }
)
"""Of the bare names, those that are also words: files only when a line or a path is given with them."""
_PRODUCTS_TEXT = """
    alpine.js angular.js asp.net backbone.js babylon.js bun.js chart.js d3.js deno.js discord.js ember.js express.js
    fastify.js gatsby.js hapi.js highlight.js knockout.js koa.js lit.js mocha.js moment.js nest.js next.js node.js
    nuxt.js nw.js p5.js paper.js phaser.js pixi.js plotly.js preact.js react.js require.js sails.js solid.js
    socket.io stimulus.js svelte.js tensorflow.js three.js underscore.js video.js vue.js web3.js
"""
_PRODUCTS = frozenset(_PRODUCTS_TEXT.split())
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|edu|gov|info|local|localhost)$", re.IGNORECASE)

_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]*://[^\s<>\"'`)\]]+|\bwww\.[^\s<>\"'`)\]]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\s`'\"“”‘’<>()\[\]{},;:|*=#!?…]+")
_QUOTES = r"[`'\"”’*_\])]*"
_SPAN = r"L?(\d{1,9})(?:\s?(?:-|–|to|through)\s?L?(\d{1,9}))?"
_NEAR = r"L?\d{1,9}(?:[-–]L?\d{1,9})?"
_AND_MORE = rf"(?:(?:,\s?(?:and\s)?|\s(?:and|&)\s){_NEAR})+(?=\s*(?:[.;)\]!?](?!\d)|\n|$))"
"""`, 4 and 5` behind `app.py:3`, when nothing follows that the numbers could count."""
_LINES = r"(?:\blines?[\s:]+(?:numbers?\s+)?|\bl(?:n|l)?\.\s?)"
_WORDS = rf"(?P<words>{_SPAN}(?:(?:,\s?(?:and\s)?|\s(?:and|&)\s){_SPAN})*)"
_AFTER = re.compile(
    rf"{_QUOTES}(?::(?P<colon>{_NEAR}(?:,{_NEAR})*(?:{_AND_MORE})?)(?!\.?\d)|#(?P<hash>L\d+(?:[-–]L?\d+)?)"
    rf"|\((?P<bracket>\d+)\)|(?:[\s,(\[]+|:[ \t])(?P<letter>L\d+(?:\s?[-–]\s?L?\d+)?)\b"
    rf"|(?:[\s,(\[]*|:[ \t]*)(?:(?:at|on|in|from|see|around)\s+)?{_LINES}{_WORDS})",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"{_LINES}{_WORDS}\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?[`'\"“‘*_\[(]*$", re.IGNORECASE)
_LINE_WORDS = re.compile(rf"{_LINES}{_WORDS}", re.IGNORECASE)
_ONE_MORE = re.compile(
    r":(?P<column>\d+)\b"
    r"|(?:[\s:;,&`)]|\band\b|\brows?\b){1,12}(?P<line>\d{1,9})\b(?=\s*(?:[.,;:&)\]`](?!\d)|$|\band\b))",
    re.MULTILINE,
)
"""A column, or a further line, where no word follows that the number could count."""
_QUOTED_LINE = re.compile(r"^[ \t`>]*(\d{1,9})\s*[:|]", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w/.])(_{1,2})(?=[^\s_])(\S{0,200}?\.\w{0,20}?[^\W_](?::\d+)?)\1(?!\w|\.\w)")
_LINK = re.compile(r"\[[^\[\]\n]*\]\(([^()\s]+)\)")
_NO_FILE = re.compile(
    r"(?:\w\.){2,}\w|[A-Z]\.[A-Z]|[ap]\.m|(?:self|cls|this)\..+|(?:request|response|req|resp?)\.(?:json|html|xml)"
)
"""Initials, `a.b.c`, and attributes of objects that have their usual names."""
_SPAN_FOUND = re.compile(_SPAN)
_SENTENCE_END = re.compile(r"[.!?]\s|\n")


class Mention(NamedTuple):
    """A file that the answer speaks of: its name as written (with forward slashes), the spans of lines given
    with it (both ends included), and where in the answer it stands."""

    name: str
    spans: tuple[tuple[int, int], ...]
    start: int
    end: int


def tidy(text: str) -> str:
    """Text in the form in which names are compared: one form of each accented letter."""
    return unicodedata.normalize("NFC", text)


def mentions(answer: str, known: Iterable[str] = ()) -> list[Mention]:
    """Every file that `answer` speaks of, in order. `known` are paths that are looked for as they are."""
    text = tidy(answer)
    readable = _ADDRESS.sub(blank, text)
    readable = text = _EMPHASIS.sub(_without_emphasis, readable)
    found = list(_known_ones(readable, sorted({tidy(name) for name in known}, key=len, reverse=True)))
    for mention in found:
        readable = readable[: mention.start] + " " * (mention.end - mention.start) + readable[mention.end :]
    found += _unknown_ones(readable, text)
    found = _with_link_targets(text, sorted(found, key=lambda mention: mention.start))
    return _with_loose_lines(text, found)


def without_mentions(answer: str, shown: Mapping[str, Collection[int]]) -> str:
    """What an answer says beside its sources: files, and the numbers that name lines of them, made spaces.

    `shown` are the files that are known, each with its lines: one of these that follows a file closely is a line of
    it, also in a form that is no mention ("app.py:10; 12"), and so is one that begins a line ("10: x = 3").
    """
    text = tidy(answer)
    found = mentions(text, shown)
    for mention in found:
        after = _AFTER.match(text, mention.end)
        end = after.end() if after else mention.end
        while (more := _ONE_MORE.match(text, end)) and (
            more["column"] or int(more["line"]) in shown.get(mention.name, ())
        ):
            end = more.end()
        text = text[: mention.start] + " " * (end - mention.start) + text[end:]
    lines = {line for mention in found for line in shown.get(mention.name, ())}
    text = _QUOTED_LINE.sub(lambda quoted: blank(quoted) if int(quoted[1]) in lines else quoted[0], text)
    return _LINE_WORDS.sub(blank, text)


def blank(found: re.Match[str]) -> str:
    """Spaces in the place of what was found, so that everything behind it stays where it stands."""
    return " " * len(found.group())


def _without_emphasis(match: re.Match[str]) -> str:
    quotes = "`" * len(match[1])
    return f"{quotes}{match[2]}{quotes}"


def _with_link_targets(text: str, found: list[Mention]) -> list[Mention]:
    """Give the label of a Markdown link the full name of the file that the link leads to."""
    out = list(found)
    for link in _LINK.finditer(text):
        targets = [mention.name for mention in found if link.start(1) <= mention.start < link.end()]
        for at, mention in enumerate(found):
            if targets and link.start() < mention.start < link.start(1) and targets[0].endswith(f"/{mention.name}"):
                out[at] = mention._replace(name=targets[0])
    return out


def _known_ones(text: str, known: list[str]) -> Iterator[Mention]:
    for name in known:
        pattern = rf"(?<![\w./\\~-])(?:\./)?{re.escape(name)}(?![\w/\\-]|\.\w)"
        for match in re.finditer(pattern, text):
            yield _mention(text, name, match.start(), match.end())
        text = re.sub(pattern, blank, text)


def _unknown_ones(readable: str, text: str) -> Iterator[Mention]:
    for match in _TOKEN.finditer(readable):
        token = match.group().rstrip(".")
        start, end = match.start(), match.start() + len(token)
        is_pattern = text[start - 1 : start] == "*" != text[end : end + 1] and token.startswith(".")
        if is_pattern:
            continue
        mention = _mention(text, token.replace("\\", "/").removeprefix("./"), start, end)
        is_call = text[end : end + 1] == "(" and not mention.spans
        if not is_call and _is_file(mention.name, bool(mention.spans)):
            yield mention


def _is_file(name: str, with_lines: bool) -> bool:
    """Whether a word is the name of a file, as far as its form tells."""
    *folders, last = name.split("/")
    stem, dot, ending = last.rpartition(".")
    if last in _BARE:
        return with_lines or bool(folders) or last not in _WORDS_TOO
    if folders and _DOMAIN.match(folders[0]):
        return False
    if not with_lines and all(part.lower() in _PRODUCTS for part in name.split("/")):
        return False
    if not with_lines and not folders and _NO_FILE.fullmatch(name):
        return False
    if dot and stem.strip(".") and ending.lower() in _ENDINGS:
        return True
    if not with_lines:
        return False
    if folders:
        return bool(last)
    return bool(dot and stem and re.fullmatch(r"[A-Za-z]\w{0,9}", ending)) and not _DOMAIN.match(last)


def _mention(text: str, name: str, start: int, end: int) -> Mention:
    after = _AFTER.match(text, end)
    before = _BEFORE.search(text, max(0, start - 80), start)
    if after:
        given = next(value for value in after.groupdict().values() if value)
        return Mention(name, _spans(given), start, end)
    return Mention(name, _spans(before["words"]) if before else (), start, end)


def _spans(given: str) -> tuple[tuple[int, int], ...]:
    spans = ((int(first), int(last or first)) for first, last in _SPAN_FOUND.findall(given))
    return tuple((min(span), max(span)) for span in spans)


def _with_loose_lines(text: str, found: list[Mention]) -> list[Mention]:
    """Give "(line 40)" to the one file of its sentence, when that has no lines of its own yet."""
    out = []
    for mention in found:
        first, last = sentence_around(text, mention.start, mention.end)
        alone = sum(first <= other.start < last for other in found) == 1
        loose = _LINE_WORDS.search(text, first, last) if alone and not mention.spans else None
        out.append(mention._replace(spans=_spans(loose["words"])) if loose else mention)
    return out


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence that holds `text[start:end]` begins and ends."""
    first = max((match.end() for match in _SENTENCE_END.finditer(text, 0, start)), default=0)
    after = _SENTENCE_END.search(text, end)
    return first, after.start() + 1 if after else len(text)
