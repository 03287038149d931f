"""Groups, lists, tuples and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from symattn.checking.reading import names
from symattn.checking.reading.tree import Applied, FigureRead, GridRead, NameRead, Unread, Written

if TYPE_CHECKING:
    from symattn.checking.reading.expressions import Parser

Named = tuple[tuple[str, Written], ...]
_NOT_READ: Final = "not read as a formula"


def primary(parser: Parser) -> Written | None:
    """What begins with the next sign."""
    sign = parser.peek()
    match sign.kind:
        case "figure":
            return parser._figure("", sign.start)
        case "name" | "text":
            return _name(parser)
        case "open" if parser.at in parser.pairs.mates:
            return _opened(parser)
        case "frac":
            return _fraction(parser)
        case "root":
            return _root(parser)
        case "sum":
            return _sum(parser)
        case "mark":
            return _marked(parser)
        case "over":
            parser.at += 1
            _argument(parser)
            return _argument(parser)
        case "dots":
            parser.at += 1
            return Unread("…", "left out", sign.start, sign.end)
        case "made":
            parser.at += 1
            return sign.made
        case "string":
            return _string(parser)
        case _:
            return None


def _string(parser: Parser) -> Written:
    sign = parser.peek()
    parser.at += 1
    inner = sign.text.strip("\"'").lower()
    if inner in ("inf", "-inf", "infinity", "-infinity"):
        negative = inner.startswith("-")
        return FigureRead("-∞" if negative else "∞", None, Fraction(1), sign.start, sign.end, -1 if negative else 1)
    return Unread(sign.text, "a text", sign.start, sign.end)


def _name(parser: Parser) -> Written:
    sign = parser.peek()
    parser.at += 1
    if sign.text in ("inf", "Inf", "infty", "infinity"):
        return FigureRead("∞", None, Fraction(1), sign.start, sign.end)
    if sign.kind == "text" or sign.mode == "math":
        name = NameRead(sign.text, (), (), (), sign.start, sign.end, sign.text)
    else:
        name = names.identifier(sign)
    after = parser.peek()
    if (
        sign.mode == "math"
        and after.kind == "figure"
        and not after.blank
        and sign.kind == "name"
        and after.text.isdecimal()
    ):
        parser.at += 1
        name = names.with_below(name, names.digits(after.text, after.start), after.end)
    if sign.text == "∂" and after.kind in ("name", "mark", "open"):
        return _partial(parser, name)
    if names.function(name) is None:
        return name
    while parser.peek().kind == "script" and parser.peek().text == "_":
        parser.at += 1
        pieces = parser.script_pieces()
        if not pieces:
            break
        name = names.with_below(name, pieces, parser.spot())
    if not parser.takes_operand(name):
        return name
    operand = parser.postfix()
    if operand is None:
        return name
    below = tuple(("_", one) for one in name.below)
    return Applied(f"call:{names.function(name)}", (operand,), name.start, operand.end, "", below)


def _partial(parser: Parser, name: NameRead) -> Written:
    inner = parser.postfix()
    if not isinstance(inner, NameRead):
        return name if inner is None else Applied("*", (name, inner), name.start, inner.end, "beside")
    return replace(inner, base="∂" + inner.base, start=name.start)


def _argument(parser: Parser) -> Written | None:
    """The argument of a command: a group, or one sign (of a figure one digit)."""
    sign = parser.peek()
    if sign.kind == "figure" and sign.mode == "math" and len(sign.text) == 2 and sign.text.isdecimal():
        first, second = names.digits(sign.text, sign.start)
        sign.text, sign.start = second.text, second.start
        return first
    return parser.primary()


def _fraction(parser: Parser) -> Written:
    first = parser.at
    start = parser.peek().start
    parser.at += 1
    above = _argument(parser)
    below = _argument(parser) if above is not None else None
    if above is None or below is None:
        return parser.unread(first, parser.at, "a fraction that is not whole")
    if _is_partial(above) and _is_partial(below):
        return _derivative(parser, above, below, start)
    return Applied("/", (above, below), start, max(parser.spot(), below.end), "frac")


def _is_partial(written: Written) -> bool:
    return isinstance(written, NameRead) and written.base.startswith("∂")


def _derivative(parser: Parser, above: Written, below: Written, start: int) -> Written:
    from symattn.checking.reading.shown import shown

    end = parser.spot()
    return NameRead(f"{shown(above)}/{shown(below)}", (), (), (), start, end, parser.written(start, end))


def _root(parser: Parser) -> Written:
    first = parser.at
    start = parser.peek().start
    parser.at += 1
    degree: Written | None = None
    if parser.peek().text == "[" and parser.peek().mode == "math" and parser.at in parser.pairs.mates:
        degree = inside(parser)
    inner = parser.postfix() if parser.lexemes[first].text == "√" and parser.peek().text != "{" else parser.primary()
    if inner is None:
        return parser.unread(first, parser.at, "a root of nothing")
    end = max(parser.spot(), inner.end)
    if degree is not None:
        return Applied("root", (inner, degree), start, end)
    return Applied("call:sqrt", (inner,), start, end)


def _sum(parser: Parser) -> Written:
    first = parser.at
    sign = parser.peek()
    parser.at += 1
    ranges: dict[str, Written] = {}
    place = parser.at
    for _ in range(2):
        script = parser.peek()
        if script.kind != "script":
            break
        parser.at += 1
        if parser.peek().kind == "open" and parser.at in parser.pairs.mates:
            ranges.update(_range(parser, script.text))
        elif (one := parser.primary()) is not None:
            ranges["over" if script.text == "_" else "to"] = one
    said = "".join(lexeme.text for lexeme in parser.lexemes[place : parser.at] if lexeme.text not in "{}_").replace(
        "^", ".."
    )
    body = parser.product()
    if body is None:
        return parser.unread(first, parser.at, "a sum of nothing")
    op = "sum" if sign.text == "∑" else "call:product"
    return Applied(op, (body,), sign.start, body.end, said, tuple(ranges.items()))


def _range(parser: Parser, script: str) -> dict[str, Written]:
    """``{i=1}`` below a sum: what is counted and from where."""
    mate, outer = parser.pairs.mates[parser.at], parser.end
    parser.at, parser.end = parser.at + 1, mate
    found: dict[str, Written] = {}
    one = parser.expression()
    if one is not None:
        found["over" if script == "_" else "to"] = one
        if parser.peek().kind == "relation":
            parser.at += 1
            begin = parser.expression()
            if begin is not None:
                found["from"] = begin
    parser.at, parser.end = mate + 1, outer
    return found


def _marked(parser: Parser) -> Written | None:
    sign = parser.peek()
    parser.at += 1
    inner = parser.primary()
    match inner:
        case None:
            return Unread(sign.text, "a mark over nothing", sign.start, sign.end)
        case NameRead():
            return replace(
                inner,
                marks=(sign.text, *inner.marks),
                start=min(sign.start, inner.start),
                end=max(parser.spot(), inner.end),
            )
        case Applied(op="T", args=(NameRead() as name,)):
            return replace(inner, args=(replace(name, marks=(*name.marks, sign.text)),), start=sign.start)
        case FigureRead() | GridRead() | Unread():
            return inner
        case _:
            return Applied(f"call:{sign.text}", (inner,), sign.start, inner.end)


def inside(parser: Parser) -> Written:
    """What stands in the group that begins here, as one expression."""
    first, mate, outer = parser.at, parser.pairs.mates[parser.at], parser.end
    parser.at, parser.end = parser.at + 1, mate
    found = parser.expression()
    whole = parser.at == mate
    parser.at, parser.end = min(mate + 1, outer), outer
    if found is None or not whole:
        return parser.unread(first, mate + 1, "empty" if mate == first + 1 else _NOT_READ)
    return found


def script_group(parser: Parser) -> tuple[Written, ...]:
    """What stands in a group above or below a name, piece by piece: ``21`` and ``ij`` are two."""
    first, mate, outer = parser.at, parser.pairs.mates[parser.at], parser.end
    parser.at, parser.end = parser.at + 1, mate
    found: list[Written] = []
    while parser.at < mate:
        sign = parser.peek()
        if sign.kind == "comma":
            parser.at += 1
            continue
        if sign.kind == "figure" and sign.text.isdecimal() and _ends_piece(parser, 1):
            parser.at += 1
            below = parser.lexemes[first - 1].text == "_"
            found.extend(
                names.digits(sign.text, sign.start) if below else (parser_figure(parser, sign.text, sign.start),)
            )
            continue
        if sign.kind in ("word", "text") and _ends_piece(parser, 1):
            parser.at += 1
            found.append(NameRead(sign.text, (), (), (), sign.start, sign.end, sign.text))
            continue
        one = parser.expression()
        if one is None:
            found = [parser.unread(first, mate + 1, _NOT_READ)]
            break
        found.extend(_beside(one) if parser.lexemes[first - 1].text == "_" else (one,))
    parser.at, parser.end = mate + 1, outer
    return tuple(found)


def parser_figure(parser: Parser, text: str, start: int) -> Written:
    """A figure without its sign."""
    from symattn.checking.reading.figures import figure

    end = parser.spot()
    return figure(text, start, end) or Unread(text, "a figure that is too long", start, end)


def _ends_piece(parser: Parser, ahead: int) -> bool:
    return parser.peek(ahead).kind in ("end", "comma")


def _beside(written: Written) -> tuple[Written, ...]:
    """``ij`` below a name is i and j."""
    parts: list[Written] = []
    while isinstance(written, Applied) and written.op == "*" and written.sign == "beside":
        parts.append(written.args[1])
        written = written.args[0]
    return (written, *reversed(parts))


def _opened(parser: Parser) -> Written:
    sign = parser.peek()
    if sign.text.startswith("\\"):
        return matrix(parser)
    if sign.text == "{" and sign.mode != "code":
        return inside(parser)
    if sign.text in ("|", "‖"):
        start = sign.start
        inner = inside(parser)
        return Applied("call:abs" if sign.text == "|" else "call:norm", (inner,), start, parser.spot())
    if sign.text in "([":
        return _listed(parser, sign.text)
    if sign.text == "⟨":
        start = sign.start
        found, _ = arguments(parser)
        return (
            Applied("call:dot", found, start, parser.spot())
            if len(found) == 2
            else Unread("⟨…⟩", _NOT_READ, start, parser.spot())
        )
    return inside(parser)


def _listed(parser: Parser, bracket: str) -> Written:
    """``(1, 2)``, ``[1, 2]``, ``[[1, 2], [3, 4]]``, ``[0.1 0.9]``, ``[1, 2; 3, 4]``; ``(a)`` is a."""
    first, mate, outer = parser.at, parser.pairs.mates[parser.at], parser.end
    start, end = parser.lexemes[first].start, parser.lexemes[min(mate, len(parser.lexemes) - 1)].end
    spread = bracket == "[" and _is_spread(parser, first, mate)
    before, parser._spread = parser._spread, spread
    parser.at, parser.end = first + 1, mate
    rows, commas = _entries(parser, mate)
    parser._spread = before
    parser.at, parser.end = min(mate + 1, outer), outer
    entries = [entry for row in rows for entry in row]
    if not entries:
        return parser.unread(first, mate + 1, "empty")
    if len(entries) == 1 and not commas and (bracket == "(" or _is_matrix(entries[0])):
        return entries[0]
    if len(rows) > 1:
        return GridRead(tuple(tuple(row) for row in rows), "list", 2, start, end)
    kind = "brackets" if spread else "list" if bracket == "[" else "tuple"
    return _nested(entries, kind, start, end)


def _is_matrix(written: Written) -> bool:
    return isinstance(written, GridRead) and written.kind == "matrix"


def _nested(entries: Sequence[Written], kind: str, start: int, end: int) -> GridRead:
    grids = [entry for entry in entries if isinstance(entry, GridRead)]
    if len(grids) == len(entries) and all(grid.axes == 1 for grid in grids):
        inner = "brackets" if any(grid.kind == "brackets" for grid in grids) else kind
        return GridRead(tuple(grid.rows[0] for grid in grids), inner, 2, start, end)  # type: ignore[arg-type]
    if len(grids) == len(entries) == 1:
        return replace(grids[0], axes=grids[0].axes + 1, start=start, end=end)
    axes = 1 + max((grid.axes for grid in grids), default=0) if len(grids) == len(entries) else 1
    return GridRead((tuple(entries),), kind, axes, start, end)  # type: ignore[arg-type]


def _is_spread(parser: Parser, first: int, mate: int) -> bool:
    """Whether entries are divided by blanks only: figures, signs and brackets, and no comma."""
    place, entries = first + 1, 0
    while place < mate:
        sign = parser.lexemes[place]
        if sign.kind == "open" and sign.text == "[" and place in parser.pairs.mates:
            place = parser.pairs.mates[place]
            entries += 1
        elif sign.kind in ("figure", "name", "dots"):
            if sign.kind == "name" and sign.text not in ("nan", "inf"):
                return False
            before = parser.lexemes[place - 1]
            entries += sign.blank or entries == 0 or (before.kind == "op" and before.blank)
        elif not (sign.kind in ("line", "torn") or (sign.kind == "op" and sign.text == "-")):
            return False
        place += 1
    return entries > 1


def _entries(parser: Parser, mate: int) -> tuple[list[list[Written]], int]:
    rows: list[list[Written]] = [[]]
    commas = 0
    while parser.at < mate:
        sign = parser.peek()
        if sign.kind in ("comma", "line", "break", "torn", "cell"):
            parser.at += 1
            commas += sign.kind == "comma"
            continue
        if sign.kind in ("semicolon", "row"):
            parser.at += 1
            commas += 1
            if rows[-1]:
                rows.append([])
            continue
        place = parser.at
        one = parser.expression()
        if (
            one is None
            or parser.peek().kind not in ("comma", "semicolon", "row", "line", "break", "end", "torn", "cell")
            and not parser._spread
        ):
            _skip(parser, mate)
            one = parser.unread(place, parser.at, _NOT_READ)
        rows[-1].append(one)
    return [row for row in rows if row], commas


def _skip(parser: Parser, mate: int) -> None:
    """To the next comma, over brackets."""
    while parser.at < mate and parser.peek().kind not in ("comma", "semicolon"):
        parser.at = parser.pairs.mates.get(parser.at, parser.at) + 1
    parser.at = min(parser.at, mate)


def is_index(parser: Parser) -> bool:
    """Whether brackets after a name hold an index: whole numbers, names or ``:``, and not many."""
    place, mate = parser.at + 1, parser.pairs.mates[parser.at]
    inner = parser.lexemes[place : min(mate, place + 6)]
    if mate - place > 5 or not inner:
        return False
    return all(
        (sign.kind == "figure" and sign.text.isdecimal())
        or sign.kind in ("name", "colon", "comma", "word")
        or sign.text == "-"
        for sign in inner
    )


def arguments(parser: Parser) -> tuple[tuple[Written, ...], Named]:
    """What stands in the brackets of a call, with ``dim=-1`` by its name."""
    mate, outer, spread = parser.pairs.mates[parser.at], parser.end, parser._spread
    parser.at, parser.end, parser._spread = parser.at + 1, mate, False
    found: list[Written] = []
    named: list[tuple[str, Written]] = []
    while parser.at < mate:
        sign = parser.peek()
        if sign.kind in ("comma", "line", "break", "semicolon"):
            parser.at += 1
            continue
        place, key = parser.at, ""
        if sign.kind in ("name", "word") and parser.peek(1).kind == "relation" and parser.peek(1).text == "=":
            key, parser.at = sign.text, parser.at + 2
        one = parser.expression()
        if one is None or parser.peek().kind not in ("comma", "end", "line", "semicolon", "break"):
            _skip(parser, mate)
            one = parser.unread(place, parser.at, _NOT_READ)
        if key:
            named.append((key, one))
        else:
            found.append(one)
    parser.at, parser.end, parser._spread = mate + 1, outer, spread
    return tuple(found), tuple(named)


def as_tensor(inner: Written, start: int, end: int) -> Written:
    """A list as an array of a program."""
    return replace(inner, kind="tensor", start=start, end=end) if isinstance(inner, GridRead) else inner


def matrix(parser: Parser) -> Written:
    """``\\begin{bmatrix} … \\end{bmatrix}``, with the labels that may stand beside it."""
    first, mate, outer = parser.at, parser.pairs.mates[parser.at], parser.end
    start = parser.lexemes[first].start
    parser.at, parser.end = first + 1, min(mate, outer)
    rows: list[list[Written]] = [[]]
    torn: list[int] = []
    pending = False
    while parser.at < parser.end:
        sign = parser.peek()
        match sign.kind:
            case "cell":
                if pending:
                    rows[-1].append(Unread("", "empty", sign.start, sign.start))
                parser.at, pending = parser.at + 1, True
            case "row":
                parser.at, pending = parser.at + 1, False
                rows.append([])
            case "torn":
                torn.append(sign.start)
                parser.at, pending = parser.at + 1, False
            case "line" | "break":
                parser.at += 1
            case _:
                rows[-1].append(_cell(parser))
                pending = False
    closed = mate < len(parser.lexemes) and parser.lexemes[mate].kind == "close"
    end = parser.lexemes[mate if closed else max(first, mate - 1)].end
    parser.at, parser.end = min(mate + 1, outer) if closed else min(mate, outer), outer
    whole = tuple(tuple(row) for row in rows if row)
    if not whole:
        return parser.unread(first, parser.at, "empty")
    if parser.lexemes[first].text in ("\\cases", "\\dcases", "\\rcases"):
        return Applied("call:cases", (GridRead(whole, "matrix", 2, start, end),), start, end)
    return _labelled(parser, GridRead(whole, "matrix", 2, start, end, torn=tuple(torn)))


def _cell(parser: Parser) -> Written:
    place = parser.at
    found = parser.expression()
    if found is not None and parser.peek().kind in ("cell", "row", "torn", "end", "line", "break"):
        return found
    while parser.at < parser.end and parser.peek().kind not in ("cell", "row"):
        parser.at = parser.pairs.mates.get(parser.at, parser.at) + 1
    parser.at = min(parser.at, parser.end)
    return parser.unread(place, parser.at, _NOT_READ)


def _labelled(parser: Parser, grid: GridRead) -> GridRead:
    """A column of names beside a matrix says what its rows are."""
    sign = parser.peek()
    if sign.kind != "open" or sign.text not in ("\\matrix", "\\array") or parser.at not in parser.pairs.mates:
        return grid
    before = parser.at
    beside = matrix(parser)
    if (
        isinstance(beside, GridRead)
        and len(beside.rows) == len(grid.rows)
        and all(len(row) == 1 for row in beside.rows)
    ):
        if not any(isinstance(row[0], FigureRead) for row in beside.rows):
            said = tuple(parser.written(row[0].start, row[0].end).strip() for row in beside.rows)
            return replace(grid, labels=(said, grid.labels[1]), end=beside.end)
    parser.at = before
    return grid
