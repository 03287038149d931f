"""Check single values of a scenario file: a matrix, words, a label, printed figures; one function for each.

A function takes the TOML value and returns the value for the scenario, or raises
:class:`~symattn.read.scenario.problem.Problem` with the place inside the value.

>>> matrix_field([["0.50", 1]]).values
((1/2, 1),)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Literal

from sympy import Expr

from symattn.base import limits
from symattn.base.errors import FormulaError, shown, unknown
from symattn.base.printed import as_printed
from symattn.base.words import is_language, language_named, languages
from symattn.read.exact_number import exact
from symattn.read.given import Given
from symattn.read.scenario.problem import Key, Problem, Problems, located

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TOO_LONG = 10**limits.NUMBER_LENGTH


def names(value: object) -> str | tuple[str, ...]:
    """Read a name, or a list of at least one.

    >>> names("Z"), names(["A", "Z"])
    ('Z', ('A', 'Z'))
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        return tuple(value)
    came = described(value)
    if isinstance(value, list):
        came = "a list with something else in it" if value else "an empty list"
    raise Problem((), f'expected a name such as "Z" or a list of names, came {came}')


def described(value: object) -> str:
    """Describe a value for an error.

    >>> described("0.5"), described(3), described(True), described([1]), described({})
    ("the text '0.5'", 'the number 3', 'true', 'a list', 'a table')
    """
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"the text {shown(value)}"
        case int() if abs(value) >= _TOO_LONG:
            return f"a number of more than NUMBER_LENGTH = {limits.NUMBER_LENGTH} digits"
        case int() | float():
            return f"the number {value}"
        case list():
            return "a list"
        case dict():
            return "a table"
    return "a date or a time" if type(value).__module__ == "datetime" else f"a value of type {type(value).__name__}"


MATRIX = 'a matrix, a list of rows such as [["0.21", "-3/4"]], or a vector ["0.21", "1"], or a number "0.21"'


def matrix_field(value: object, symbols: Collection[str] = ()) -> Given:
    """Read a matrix of exact numbers, a vector, or a number, whose entries may contain the names in ``symbols``.

    >>> matrix_field([["1", "2"], ["3"]])
    Traceback (most recent call last):
        ...
    symattn.read.scenario.problem.Problem: row 2 has length 1, row 1 has length 2: expected rows of one length
    """
    if isinstance(value, Given):  # read already: a scenario that comes from Python, never one from a file
        return value
    ndim = 2 if value == [] or isinstance(value, dict) else _depth(value)
    if isinstance(value, list) and ndim == 3:
        return _several(value, symbols)
    try:
        rows = value if ndim == 2 else [value] if ndim else [[value]]
        return replace(_matrix(rows, symbols), ndim=ndim)
    except Problem as problem:
        raise Problem.several(Problem(each.key[2 - ndim :], each.message, each.kind) for each in problem.each) from None


def _depth(value: object) -> int:
    """Return the number of axes: a list of lists is a matrix, a list of matrices has three."""
    if not isinstance(value, list):
        return 0
    rows = [part for part in value if isinstance(part, list)]
    return 1 if not rows else 3 if any(isinstance(cell, list) for row in rows for cell in row) else 2


def _several(value: list[object], symbols: Collection[str]) -> Given:
    """Read matrices of one shape along a leading axis."""
    found, slices = Problems(), list[Given]()
    for number, part in enumerate(value):
        with found.caught():
            try:
                slices.append(_matrix(part, symbols))
            except Problem as problem:
                raise problem.under((number,)) from None
            if slices[-1].shape != slices[0].shape:
                first, came = (" × ".join(map(str, each.shape)) for each in (slices[0], slices[-1]))
                raise Problem((number,), f"matrix {number + 1} is {came}, matrix 1 is {first}: expected one shape")
    if len(value) > limits.LIST_ENTRIES:
        raise Problem((), f"more than LIST_ENTRIES = {limits.LIST_ENTRIES} matrices at once")
    found.settle()
    return Given.stacked(slices)


def _matrix(value: object, symbols: Collection[str]) -> Given:
    rows = _rows(value, MATRIX)
    first = len(rows[0])
    if len(rows) * first > limits.MATRIX_ENTRIES:
        raise Problem((), f"more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} numbers")
    ragged = [
        Problem((i,), f"row {i + 1} has length {len(row)}, row 1 has length {first}: expected rows of one length")
        for i, row in enumerate(rows)
        if len(row) != first
    ]
    if ragged:
        raise Problem.several(ragged)
    try:
        cells = [[_cell(cell, (i, j)) for j, cell in enumerate(row)] for i, row in enumerate(rows)]
        return Given.read(cells, symbols)
    except (FormulaError, Problem):
        raise Problem.several(_wrong(rows, partial(_number, symbols=symbols), one_float=True)) from None


def fraction(value: object) -> Expr:
    """Read one exact number without a root in it.

    >>> fraction("0.5"), fraction(1)
    (1/2, 1)
    """
    number = _number(value, ())
    if not number.is_Rational:
        raise Problem((), f"expected a whole number, a decimal or a fraction, came {described(value)}")
    return number


def finite(value: object) -> str:
    """Read one exact number, which must be finite, and return its text.

    >>> finite("sqrt(2)/2"), finite(2)
    ('sqrt(2)/2', '2')
    """
    number = _number(value, ())
    if not number.is_finite:
        raise Problem((), f"expected a finite number, came {described(value)}")
    return str(value).strip()


def figures(value: object) -> tuple[tuple[str, ...], ...]:
    """Read figures as a source prints them. The layout is free; a cell holds one figure, or two with a space between.

    They are stored in our notation, because programs write the same numbers in other ways.

    >>> figures([["0", "1.414214 0"], ["-10^9", "6.3e-02", "-inf"]])
    (('0', '1.414214 0'), ('-10^9', '0.063', '-oo'))
    """
    rows = _rows(value, 'printed figures: a list of rows such as [["0.21", "-10^9"]]')
    try:
        return tuple(tuple(_figure(cell, (i, j)) for j, cell in enumerate(row)) for i, row in enumerate(rows))
    except Problem:
        raise Problem.several(_wrong(rows, _figure)) from None


def texts(value: object) -> dict[str, str]:
    """Read words: one text, or one per language.

    >>> texts("Weights"), texts({"en": "Weights", "zh-Hans": "权重"})
    ({'': 'Weights'}, {'en': 'Weights', 'zh-Hans': '权重'})
    """
    if isinstance(value, str):
        return {"": _said(value, ())}
    if not isinstance(value, dict) or not value:
        came = "an empty table" if value == {} else described(value)
        raise Problem((), f"expected words (a text, or a table with a text per language), came {came}")
    found, read = Problems(), dict[str, str]()
    for language, text in value.items():
        with found.caught():
            meant = _language(language, read)
            if not isinstance(text, str):
                raise Problem((language,), f"expected a text in quotes, came {described(text)}")
            read[meant] = _said(text, (language,))
    found.settle()
    return read


def labels_field(value: object, read: Callable[[object], dict[str, list[str]]]) -> dict[str, list[str]]:
    """Read tokens or other labels: one list for all languages, or one list per language, all of one length.

    ``read`` checks each list.
    """
    table = value if isinstance(value, dict) else {"": value}
    if not table:
        raise Problem((), "expected labels (a list, or a table with a list per language), came an empty table")
    found, named = Problems(), dict[str, str]()
    for language in table if isinstance(value, dict) else ():
        with found.caught():
            named[_language(language, named)] = language
    found.settle()
    lists = read(table)
    (first, expected), *others = ((language, len(listed)) for language, listed in lists.items())
    for language, count in others:
        if count != expected:
            raise Problem((language,), f"expected as many as in {first}, which has {expected}, came {count}")
    return {language: lists[written] for language, written in (named or {"": ""}).items()}


def _language(name: object, known: Collection[str]) -> str:
    """Return the language that a key names, which no other key may have named."""
    if not isinstance(name, str) or not is_language(name):
        raise Problem((str(name),), unknown("language", name, languages()))
    meant = language_named(name)
    if meant in known:
        raise Problem((name,), f"{name} is {meant}, which stands there already")
    return meant


def setting(value: object) -> str | int | bool | tuple[str, ...]:
    """Read the setting of an option: a word, a name or a number as text, several of them, a whole number, or a switch.

    >>> setting("causal"), setting(["causal", "M"]), setting(2), setting(True)
    ('causal', ('causal', 'M'), 2, True)
    """
    if isinstance(value, str | int):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if isinstance(value, float):
        raise Problem((), f'{value!r} is a binary float and no longer the number that was meant: write "{value!r}"')
    expected = "a text in quotes, a list of texts, a whole number, or true or false"
    raise Problem((), f"expected {expected}, came {described(value)}")


def checked_entry(value: object) -> str | Literal[False]:
    """Read the entry that is moved to check a gradient, or ``False`` for no check.

    >>> checked_entry("W_Q[2,1]"), checked_entry(False)
    ('W_Q[2,1]', False)
    """
    if isinstance(value, str) or value is False:
        return value
    raise Problem((), f'expected an entry in quotes, such as "W[2,1]", or false, came {described(value)}')


def label(text: str) -> str:
    """Read a token or another label: one line, not empty."""
    if not text or "\n" in text or "\t" in text:
        raise Problem((), f"expected a label of one line with something in it, came {described(text)}")
    return _printable(text, ())


def where_shown(value: object) -> bool | Literal["steps"]:
    """Read where a step is shown: everywhere, nowhere, or on pages with more detail than a lesson.

    >>> where_shown("steps"), where_shown(False)
    ('steps', False)
    """
    if isinstance(value, bool):
        return value
    if value == "steps":
        return "steps"
    raise Problem((), f'expected true, false or "steps", came {described(value)}')


def ending(text: str) -> str:
    """Read the ending of names: letters, digits and underscores, or nothing.

    >>> ending("_1")
    '_1'
    """
    if not re.fullmatch(r"[A-Za-z0-9_]{0,20}", text, re.ASCII):
        raise Problem((), f'expected an ending for names such as "_1", came {shown(text)}')
    return text


def _rows(value: object, expected: str) -> list[list[object]]:
    if not isinstance(value, list) or not value:
        raise Problem((), f"expected {expected}, came {'an empty list' if value == [] else described(value)}")
    wrong = [(i, row) for i, row in enumerate(value) if not isinstance(row, list) or not row]
    if wrong:
        what = "expected a row: a list of one or more numbers, came"
        raise Problem.several(
            Problem((i,), f"{what} {'an empty list' if row == [] else described(row)}")
            for i, row in wrong[: limits.PROBLEMS]
        )
    return value


def _cell(cell: object, at: Key) -> object:
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, int) and abs(cell) >= _TOO_LONG:
        raise Problem(at, f"expected a number of at most NUMBER_LENGTH = {limits.NUMBER_LENGTH} digits", FormulaError)
    if isinstance(cell, int | float) and not isinstance(cell, bool) and isfinite(cell):
        return cell
    raise Problem(at, f'expected a number such as "0.21" or "-oo", came {described(cell)}', FormulaError)


def _number(cell: object, at: Key, symbols: Collection[str] = ()) -> Expr:
    with located(at):
        return exact(_cell(cell, at), symbols)


def _wrong(rows: list[list[object]], read: Callable[[object, Key], object], one_float: bool = False) -> list[Problem]:
    """Collect the problems of all cells, up to a limit; with ``one_float`` only the first float is reported."""
    found, said = Problems(), False
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if one_float and isinstance(cell, float) and isfinite(cell):
                if said:
                    continue
                said = True
            with found.caught():
                read(cell, (i, j))
            if found.are_many:
                return found.all
    return found.all


def _figure(cell: object, at: Key) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) < _TOO_LONG:
        cell = str(cell)
    if isinstance(cell, float):
        raise Problem(at, f'expected the figure as text, digit for digit, came {cell!r}: write "{cell!r}"')
    if not isinstance(cell, str):
        raise Problem(at, f'expected a figure such as "0.21", came {described(cell)}')
    parts = cell.split()
    if not 1 <= len(parts) <= 2:
        raise Problem(at, f"expected one figure, or two with a space between them, came {described(cell)}")
    read = [as_printed(part) if len(part) <= limits.NUMBER_LENGTH else None for part in parts]
    if None in read:
        wrong = shown(parts[read.index(None)])
        raise Problem(at, f"{wrong} is not a figure: expected digits such as 0.21, -3, 6.3e-02, -10^9, or -oo")
    return " ".join(part for part in read if part is not None)


def _said(text: str, at: Key) -> str:
    if not text.strip():
        raise Problem(at, "expected words, came an empty text")
    return _printable(text, at)


def _printable(text: str, at: Key) -> str:
    if found := _CONTROL.search(text):
        raise Problem(at, f"the character U+{ord(found[0]):04X} cannot be printed")
    return text
