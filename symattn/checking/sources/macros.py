"""Abbreviations that a document in LaTeX makes for itself, written out where they are used, and remarks taken away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symattn.checking.sources.traced import Traced, Tracer

_VERBATIM = r"\\begin\{(verbatim|Verbatim|lstlisting|minted|alltt|Highlighting|comment|filecontents)\*?\}"
_REMARK = re.compile(_VERBATIM + r"|\\.|%[^\n]*(?:\n[ \t]*)?", re.DOTALL)
_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareMathOperator)\*?[ ]?\{?\\([A-Za-z]{1,40})\}?"
    r"(?:\[(\d)\])?(\[[^\]\n]{0,100}\])?[ ]?\{"
    r"|\\def\\([A-Za-z]{1,40})((?:#\d){0,9})\{"
)
_OVERLAY = re.compile(
    r"\\(?:uncover|only|onslide|visible|alert|item|pause|textbf|emph|frame|begin\{[a-zA-Z]{1,30}\})"
    r"(<[-+\d,|.: a-z]{1,40}>)"
)
"""Which slides of a frame something is on."""
_USED = re.compile(r"\\([A-Za-z]+)[ \t]*")
_ROUNDS = 4
_LONGEST = 400_000
"""Characters that abbreviations may become; beyond that they stay as they are."""
_LONGEST_BODY, _LONGEST_ARGUMENT = 500, 2_000

Leave = Callable[[Traced, str], None]


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """What a command that a document defines stands for, with ``#1`` for what follows it."""

    body: str
    arguments: int = 0


SHOWN: Mapping[str, Abbreviation] = MappingProxyType(
    {name: Abbreviation("#1", 1) for name in ("uncover", "only", "onslide", "visible", "alert")}
)
"""What is shown on some slides of a frame is said on all of them."""


def without_overlays(traced: Traced, leave: Leave) -> Traced:
    """Without what says which slides of a frame something is on.

    >>> without_overlays(Traced.of(r"\\item<2-> a $\\only<1,3>{b}<3$"), lambda traced, why: None).text
    '\\\\item a $\\\\only{b}<3$'
    """
    writer, done = Tracer(), 0
    for found in _OVERLAY.finditer(traced.text):
        writer.add(traced, done, found.start(1))
        done = found.end()
        leave(traced[found.start(1) : done], "of a command")
    writer.add(traced, done)
    return writer.written() if done else traced


def groups_of(text: str) -> Mapping[int, int]:
    """Where each group in braces ends, by where it begins; what is never closed is none.

    >>> groups_of("{a{b}c}{")
    {2: 4, 0: 6}
    """
    found: dict[int, int] = {}
    opened: list[int] = []
    for sign in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if sign[0] == "{":
            opened.append(sign.start())
        elif sign[0] == "}" and opened:
            found[opened.pop()] = sign.start()
    return found


def without_remarks(traced: Traced, leave: Leave) -> Traced:
    """Without what stands behind signs of per cent, but in what is shown as it is.

    >>> without_remarks(Traced.of("a % b\\nc 5\\\\% d"), lambda traced, why: None).text
    'a c 5\\\\% d'
    """
    if "%" not in traced.text:
        return traced
    writer, done, place = Tracer(), 0, 0
    while found := _REMARK.search(traced.text, place):
        place = found.end()
        if found[1]:
            end = traced.text.find(f"\\end{{{found[1]}", place)
            place = len(traced) if end < 0 else end
        elif found[0][0] == "%":
            writer.add(traced, done, found.start())
            leave(traced[found.start() : found.end()], "a comment")
            done = found.end()
    writer.add(traced, done)
    return writer.written()


def abbreviations(traced: Traced, leave: Leave) -> tuple[Traced, Mapping[str, Abbreviation]]:
    """A text without the definitions that stand in it, and what they define.

    >>> rest, found = abbreviations(Traced.of(r"\\newcommand{\\R}{\\mathbb{R}}$x$"), lambda traced, why: None)
    >>> rest.text, found["R"].body
    ('$x$', '\\\\mathbb{R}')
    """
    known: dict[str, Abbreviation] = {}
    groups = groups_of(traced.text) if _DEFINED.search(traced.text) else {}
    writer, done, place = Tracer(), 0, 0
    while found := _DEFINED.search(traced.text, place):
        place = found.end()
        end = groups.get(place - 1, -1)
        if not place <= end <= place + _LONGEST_BODY:
            continue
        body = traced.text[place:end]
        if "Operator" in found[0]:
            body = f"\\operatorname{{{body}}}"
        if not found[3]:  # what has a value of its own for its first argument stays as it is
            known[found[1] or found[4]] = Abbreviation(body, int(found[2] or len(found[5] or "") // 2))
        writer.add(traced, done, found.start())
        leave(traced[found.start() : end + 1], "the definition of a command")
        done = place = end + 1
    writer.add(traced, done)
    return writer.written(), known


def written_out(traced: Traced, known: Mapping[str, Abbreviation]) -> Traced:
    """A text with what its abbreviations stand for, as far as that has bounds.

    >>> written_out(Traced.of(r"\\half{3}!"), {"half": Abbreviation(r"\\frac{#1}{2}", 1)}).text
    '\\\\frac{3}{2}!'
    """
    for _ in range(_ROUNDS if known else 0):
        again = _once(traced, known)
        if again is traced or len(again) > len(traced) + _LONGEST:
            break
        traced = again
    return traced


def _once(traced: Traced, known: Mapping[str, Abbreviation]) -> Traced:
    text, writer, done, place = traced.text, Tracer(), 0, 0
    groups = groups_of(text)
    while found := _USED.search(text, place):
        place = found.end()
        meant = known.get(found[1])
        if meant is None or writer.size > len(text) + _LONGEST:
            continue
        arguments = _arguments(groups, place, meant.arguments)
        if arguments is None:
            continue
        writer.add(traced, done, found.start())
        behind = found.start() + 1 + len(found[1])
        _put(writer, traced, meant, arguments, (found.start(), behind))
        place = done = arguments[-1][1] + 1 if arguments else behind
    if not done:
        return traced
    writer.add(traced, done)
    return writer.written()


def _arguments(groups: Mapping[int, int], place: int, count: int) -> list[tuple[int, int]] | None:
    """Where what follows a command in braces begins and ends."""
    found = []
    for _ in range(count):
        if not place < (end := groups.get(place, -1)) <= place + _LONGEST_ARGUMENT:
            return None
        found.append((place + 1, end))
        place = end + 1
    return found


def _put(
    writer: Tracer, traced: Traced, meant: Abbreviation, arguments: list[tuple[int, int]], span: tuple[int, int]
) -> None:
    start, end = traced.places[span[0]], traced.places[span[1] - 1] + 1
    for part in re.split(r"(#\d)", meant.body):
        if part[:1] == "#" and part[1:].isdigit() and 0 < int(part[1:]) <= len(arguments):
            writer.add(traced, *arguments[int(part[1:]) - 1])
        else:
            writer.put(part, start, end)
