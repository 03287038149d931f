"""Formulas in MathML as LaTeX, each figure at its place in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from symattn.checking.sources.tags import MarkupSign, Tag, decoded
from symattn.checking.sources.traced import Traced, Tracer

MathText: TypeAlias = "Traced | str | tuple[MathText, ...]"

_SIGNS = {**{sign: f"\\{sign}" for sign in "{}%#&"}, "\u2061": "", "\u2062": " ", "\u2063": ",", "\u2064": "+"}
_ACCENTS = {
    **dict.fromkeys(("^", "ˆ", "\u0302"), "hat"),
    **dict.fromkeys("~˜", "tilde"),
    **dict.fromkeys("¯‾―_", "bar"),
    **dict.fromkeys(("→", "\u20d7"), "vec"),
}
_FENCED = {("[", "]"): "bmatrix", ("(", ")"): "pmatrix", ("|", "|"): "vmatrix", ("∣", "∣"): "vmatrix"}
_ANNOTATIONS = ("application/x-tex", "latex", "text/latex", "application/x-latex", "tex")
_SIMPLE = frozenset({"mi", "mn", "mo", "mtext", "mover", "text"})
"""What can have something above or below it without braces."""
NOT_SEEN = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "mprescripts", "none"})
"""Elements whose content is no part of what a reader sees."""


@dataclass(slots=True)
class _Element:
    tag: Tag
    children: list[tuple[str, MathText]] = field(default_factory=list)
    """The name of each child, and what it is in LaTeX; a name is the sign itself for an operator."""


def latex_of(traced: Traced, marks: Iterable[MarkupSign]) -> Traced:
    r"""A formula in LaTeX: the source that is written beside it where there is one, else what its elements say.

    >>> from symattn.checking.sources.tags import marks
    >>> def latex(text): return latex_of(Traced.of(text), marks(text)).text
    >>> latex("<math><mfrac><mn>1</mn><msqrt><mi>d</mi></msqrt></mfrac></math>")
    '\\frac{1}{\\sqrt{d}}'
    >>> latex("<math><mo>[</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable><mo>]</mo></math>")
    '\\begin{bmatrix}1 & 2\\end{bmatrix}'
    """
    stack = [_Element(Tag("math", False, "", 0, 0))]
    source: list[Traced] = []
    for mark in (marks := tuple(marks)):
        if mark.kind == "text":
            _text(traced[mark.start : mark.end], stack[-1], source)
        elif mark.tag is None:
            continue
        elif not mark.tag.is_end:
            stack.append(_Element(mark.tag))
            if mark.tag.is_alone:
                _close(stack)
        elif any(element.tag.name == mark.tag.name for element in stack[:-9:-1]):
            while len(stack) > 1 and stack[-1].tag.name != mark.tag.name:
                _close(stack)
            if len(stack) > 1:
                _close(stack)
    if source:
        return source[0].stripped()
    while len(stack) > 1:
        _close(stack)
    writer, begin = Tracer(), traced.places[marks[0].start if marks else 0]
    for part in _flat(_row(stack[0])):
        if isinstance(part, Traced):
            writer.add(part)
        else:
            place = writer.last if writer.size else begin
            writer.put(part, place, place)
    return writer.written().stripped()


def _text(traced: Traced, element: _Element, source: list[Traced]) -> None:
    name = element.tag.name
    if name == "annotation":
        if element.tag.attributes().get("encoding", "").lower() in _ANNOTATIONS:
            source.append(decoded(traced))
    elif traced.text.strip() and name not in NOT_SEEN:
        element.children.append(("text", decoded(traced).stripped() if name != "mtext" else decoded(traced)))


def _close(stack: list[_Element]) -> None:
    element = stack.pop()
    name = element.tag.name
    if name in NOT_SEEN:
        return
    said = name
    if name == "mo":
        sign = "".join(part.text for _, part in element.children if isinstance(part, Traced))
        said = "mo " + sign
        written: MathText = _SIGNS[sign] if sign in _SIGNS else _row(element)
    else:
        written = _written(name, element)
    stack[-1].children.append((said, written))


def _written(name: str, element: _Element) -> MathText:
    parts = [part for _, part in element.children]
    if name == "mi":
        is_word = sum(len(part.text) for part in parts if isinstance(part, Traced)) > 1
        return ("\\mathrm{", tuple(parts), "}") if is_word else tuple(parts)
    if name in ("mtext", "ms"):
        return ("\\text{", tuple(parts), "}")
    if name == "mspace":
        return " "
    if name == "msqrt":
        return ("\\sqrt{", _row(element), "}")
    if name in ("mfrac", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover"):
        return _script(name, element, [*parts, "", "", ""])
    if name == "mtable":
        is_aligned = "right" in element.tag.attributes().get("columnalign", "")
        return _environment("aligned" if is_aligned else "matrix", tuple(_between(parts, " \\\\ ")))
    if name in ("mtr", "mlabeledtr"):
        return tuple(_between(parts, " & "))
    if name == "mfenced":
        said = element.tag.attributes()
        inside = tuple(_between(parts, said.get("separators", ",")[:1] or ","))
        opening, closing = said.get("open", "("), said.get("close", ")")
        if len(parts) == 1 and element.children[0][0] == "mtable" and (opening, closing) in _FENCED:
            return _renamed(parts[0], _FENCED[opening, closing])
        return (_SIGNS.get(opening, opening), inside, _SIGNS.get(closing, closing))
    return _row(element)


def _script(name: str, element: _Element, parts: list[MathText]) -> MathText:
    base, one, other = parts[:3]
    if name == "mfrac":
        return ("\\frac{", base, "}{", one, "}")
    if name == "mroot":
        return ("\\sqrt[", one, "]{", base, "}")
    if name in ("mover", "munder") and len(element.children) > 1:
        sign = element.children[1][0].removeprefix("mo ")
        if sign in _ACCENTS:
            return (f"\\{_ACCENTS[sign]}{{", base, "}")
    if not element.children or element.children[0][0].split()[0] not in _SIMPLE:
        base = ("{", base, "}")
    if name in ("msub", "munder"):
        return (base, "_{", one, "}")
    if name in ("msup", "mover"):
        return (base, "^{", one, "}")
    return (base, "_{", one, "}^{", other, "}")


def _renamed(table: MathText, name: str) -> MathText:
    return _environment(name, table[1] if isinstance(table, tuple) else "")


def _environment(name: str, inside: MathText) -> MathText:
    return (f"\\begin{{{name}}}", inside, f"\\end{{{name}}}")


def _row(element: _Element) -> MathText:
    """The children side by side; a table between brackets is a matrix."""
    children, parts = element.children, []
    for place, (name, part) in enumerate(children):
        around = (_sign(children, place - 1), _sign(children, place + 1)) if name == "mtable" else ("", "")
        if around in _FENCED:
            part = _renamed(part, _FENCED[around])
        elif (name[:2] == "mo") and _is_around_table(children, place):
            continue
        parts.append(part)
    return tuple(parts)


def _sign(children: list[tuple[str, MathText]], place: int) -> str:
    return children[place][0].removeprefix("mo ") if 0 <= place < len(children) else ""


def _is_around_table(children: list[tuple[str, MathText]], place: int) -> bool:
    return any(
        _sign(children, table) == "mtable" and (_sign(children, table - 1), _sign(children, table + 1)) in _FENCED
        for table in (place - 1, place + 1)
    )


def _between(parts: list[MathText], sign: str) -> Iterator[MathText]:
    for number, part in enumerate(parts):
        if number:
            yield sign
        yield part


def _flat(written: MathText) -> Iterator[Traced | str]:
    """What is nested, in its order."""
    waiting = [written]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(reversed(part))
        else:
            yield part
