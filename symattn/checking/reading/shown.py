"""What was read, as plain text: for reports, and for people who look for what went wrong."""

from __future__ import annotations

from typing import Final

from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread

_TIGHTNESS: Final = {
    op: tightness
    for tightness, ops in enumerate(("==", "+ - ±", "* / @ sum product", "neg", "", "^ T index"))
    for op in ops.split()
}
_SIGNS: Final = {"beside": " ", "\\cdot": " · ", "\\times": " × ", "*": " * "}


def shown(written: Expressed) -> str:
    """An expression as one line of plain text.

    >>> from symattn.checking.reading.tree import Combined, NameRead
    >>> q, k = (NameRead(letter, (), (), (), 0, 1) for letter in "QK")
    >>> shown(Combined("*", (q, Combined("T", (k,), 0, 1)), 0, 1, "beside"))
    'Q K^T'
    """
    match written:
        case FigureRead(text=text):
            return text
        case NameRead():
            return _name(written)
        case GridRead():
            return _grid(written)
        case Combined():
            return _applied(written)
        case Unread(text=text):
            return f"?{text}?"


def _name(name: NameRead) -> str:
    text = name.base
    for mark in name.marks:
        text = text + mark if mark in "'*+-" else f"{mark}({text})"
    for sign, pieces in (("_", name.below), ("^", name.above)):
        inner = ",".join(map(shown, pieces))
        if pieces:
            plain = len(pieces) == 1 and inner.isalnum()
            inner = f"({inner})" if sign == "^" and isinstance(pieces[0], FigureRead) else inner
            text += sign + (inner if plain else "{" + inner + "}")
    return text + (f"({'x'.join(map(shown, name.shape))})" if name.shape else "")


def _grid(grid: GridRead) -> str:
    left, right = ("(", ")") if grid.kind == "tuple" else ("[", "]")
    if grid.axes == 1:
        return left + ", ".join(map(shown, grid.rows[0])) + right
    rows = "; ".join(", ".join(map(shown, row)) for row in grid.rows)
    labels = "".join(f"<{' '.join(labels)}>" for labels in grid.labels if labels)
    return "[" * (grid.axes - 1) + rows + "]" * (grid.axes - 1) + labels


def _inner(written: Expressed, least: int) -> str:
    text = shown(written)
    loose = isinstance(written, Combined) and _TIGHTNESS.get(written.op, 9) < least
    negative = least > 3 and isinstance(written, FigureRead) and text.startswith("-")
    return f"({text})" if loose or negative else text


def _applied(applied: Combined) -> str:
    op, args = applied.op, applied.args
    tightness = _TIGHTNESS.get(op, 9)
    named = [f"{key}={shown(value)}" for key, value in applied.named]
    match op:
        case "+" | "-" | "±" if len(args) == 2:
            return f"{_inner(args[0], 1)} {op} {_inner(args[1], 2)}"
        case "*" | "/" | "@":
            sign = f" {op} " if op != "*" else _SIGNS.get(applied.sign, f" {applied.sign} ")
            return _inner(args[0], tightness) + sign + _inner(args[1], tightness + 1)
        case "call:rounded":
            return shown(args[0])
        case "neg" | "±":
            return applied.sign + _inner(args[0], 2)
        case "call:factorial":
            return _inner(args[0], 6) + "!"
        case "^":
            return f"{_inner(args[0], 6)}^{_inner(args[1], 6)}"
        case "T":
            return f"{_inner(args[0], 5)}^T"
        case "index":
            return f"{_inner(args[0], 5)}[{', '.join(map(shown, args[1:]))}]"
        case "slice":
            ends = dict(applied.named)
            return ":".join(shown(ends[each]) if each in ends else "" for each in ("from", "to"))
        case "sum" | "product":
            return f"{op}[{applied.sign}] {_inner(args[0], 2)}"
        case _:
            return f"{op.removeprefix('call:')}({', '.join([*map(shown, args), *named])})"
