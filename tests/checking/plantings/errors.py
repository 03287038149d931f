"""One error of a class, planted in a page that is right, and the places that are wrong for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import numpy as np

from tests.checking.plantings.page import Page, ReadFigures, Slot, cut_off, figure, figures, unit
from tests.checking.plantings.steps import Array, worked
from tests.checking.plantings.tutorials import Manner, Writer, manner, suited
from tests.checking.scoring import Case, KnownError, Span

KINDS: Mapping[str, tuple[str, ...]] = {
    "transposed": ("wrong", "shape", "contradiction"),
    "separator": ("shape",),
    "chain": ("rounding_chain", "last_digit"),
    "last_digit": ("last_digit", "rounding_chain"),
}
"""What a finding of a class may be called where the error begins; anywhere else it is propagated."""


class NoPlaceError(Exception):
    """There is nothing on this page that such an error could be planted in."""


Change = Callable[[Random, ReadFigures], tuple[ReadFigures, str]]
"""Changes the figures of a page; answers them and the step where it begins."""


def one_of(random: Random, names: list[str]) -> str:
    if not names:
        raise NoPlaceError
    return random.choice(names)


def _results(sheet: ReadFigures, least: int = 1) -> list[str]:
    """The steps whose figures are worked out, with at least so many entries."""
    steps = [step for step in sheet.worked.steps if step.formula is not None and step.name in sheet.texts]
    return [step.name for step in steps if np.size(sheet.true[step.name]) >= least]


def _several_rows(random: Random, sheet: ReadFigures) -> str:
    return one_of(random, [name for name in _results(sheet, 2) if len(sheet.texts[name]) > 1])


def _with_texts(sheet: ReadFigures, name: str, texts: list[list[str]]) -> ReadFigures:
    return replace(sheet, texts={**sheet.texts, name: texts})


def _with_entry(sheet: ReadFigures, name: str, row: int, column: int, text: str) -> ReadFigures:
    texts = [list(each) for each in sheet.texts[name]]
    texts[row][column] = text
    return _with_texts(sheet, name, texts)


def _figures_of(sheet: ReadFigures, name: str) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(sheet.texts[name]) for j, text in enumerate(row) if text != "-inf"]


def other_digit(random: Random, text: str) -> str:
    """One digit changed, by at least two units of the last place."""
    places = [place for place, letter in enumerate(text) if letter.isdigit()]
    place = random.choice(places)
    is_last, digit = place == places[-1], int(text[place])
    is_first = place == places[0] and len(places) > 1 and text[place + 1].isdigit()
    digits = [other for other in range(10) if abs(other - digit) > is_last and not (is_first and other == 0)]
    return f"{text[:place]}{random.choice(digits)}{text[place + 1 :]}"


def other_sign(random: Random, text: str) -> str:
    if float(text) == 0 or float(text) * 2 < 2 * unit(text) > -float(text) * 2:
        raise NoPlaceError
    return text[1:] if text.startswith("-") else f"-{text}"


OTHERS = {"digit": other_digit, "sign": other_sign}


def _one_entry(other: Callable[[Random, str], str]) -> Change:
    def change(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
        name = random.choice(_results(sheet))
        row, column = random.choice(_figures_of(sheet, name))
        return _with_entry(sheet, name, row, column, other(random, sheet.texts[name][row][column])), name

    return change


def _far(one: str, other: str) -> bool:
    return abs(float(one) - float(other)) >= 1.999 * max(unit(one), unit(other))


def neighbour(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
    name = one_of(random, _results(sheet, 2))
    row, column = random.choice(_figures_of(sheet, name))
    beside = ((row, column + 1), (row, column - 1), (row + 1, column), (row - 1, column))
    texts = sheet.texts[name]
    near = [texts[i][j] for i, j in beside if (i, j) in _figures_of(sheet, name)]
    text = one_of(random, [each for each in near if _far(texts[row][column], each)])
    return _with_entry(sheet, name, row, column, text), name


def rows(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
    """Two rows change places."""
    name = _several_rows(random, sheet)
    texts = list(sheet.texts[name])
    one, other = random.sample(range(len(texts)), 2)
    pairs = zip(texts[one], texts[other], strict=True)
    if not any(a != b and (("inf" in a + b) or _far(a, b)) for a, b in pairs):
        raise NoPlaceError
    texts[one], texts[other] = texts[other], texts[one]
    return _with_texts(sheet, name, texts), name


def transposed(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
    name = _several_rows(random, sheet)
    texts = [list(column) for column in zip(*sheet.texts[name], strict=True)]
    if texts == sheet.texts[name]:
        raise NoPlaceError
    return _with_texts(sheet, name, texts), name


def _mistaken(error: str) -> Change:
    def change(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
        names = [step.name for step in sheet.worked.steps if error in step.mistakes]
        if error == "mask":
            names = [name for name in names if sheet.worked.step(name).formula[1].startswith("M")]
        name = one_of(random, names)
        return sheet.with_values(sheet.worked.values(mistakes={name: error})), name

    return change


def chain(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
    """Everything is worked out from what is printed."""
    rounding = {name: sheet.decimals[name] for name in _results(sheet)}
    return sheet.with_values(sheet.worked.values(rounding=rounding)), ""


def propagation(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
    """A wrong figure that all goes on from."""
    name = one_of(random, _results(sheet)[:-1])
    row, column = random.choice(_figures_of(sheet, name))
    text = other_digit(random, sheet.texts[name][row][column])
    value: Array = sheet.worked.values()[name].copy()
    value[row, column] = float(text)
    changed = sheet.with_values(sheet.worked.values(changed={name: value}))
    return _with_entry(changed, name, row, column, text), name


def last_digit(random: Random, sheet: ReadFigures) -> tuple[ReadFigures, str]:
    """A matrix is cut off instead of rounded."""
    name = random.choice(_results(sheet))
    texts = [[cut_off(float(value), sheet.decimals[name]) for value in row] for row in sheet.true[name]]
    return _with_texts(sheet, name, texts), name


CHANGES: Mapping[str, Change] = {
    **{error: _one_entry(other) for error, other in OTHERS.items()},
    "neighbour": neighbour,
    "rows": rows,
    "transposed": transposed,
    **{error: _mistaken(error) for error in ("mask", "scale", "columns")},
    "separator": lambda random, sheet: (sheet, _several_rows(random, sheet)),
    "chain": chain,
    "propagation": propagation,
    "last_digit": last_digit,
}
CLASSES = (*CHANGES, "clean")


def written(random: Random) -> tuple[ReadFigures, Manner]:
    """An example and an author."""
    style = manner(random)
    return figures(suited(worked(random), style), style.decimals, style.trimmed, style.comma), style


def planted(random: Random, error: str) -> Case:
    """A page in the manner of people with an error of a class; pages without a place for it are passed over."""
    while True:
        sheet, style = written(random)
        try:
            page = plant(random, sheet, style, error)
        except NoPlaceError:
            continue
        if error == "clean" or page.errors:
            return page


def plant(random: Random, sheet: ReadFigures, style: Manner, error: str) -> Case:
    """An error of a class in this example, as this author writes it."""
    about = (style.notation.name, sheet.worked.kind, style.language)
    if error == "clean":
        return told(Writer(sheet, style).write(), error, about)
    if error == "separator" and style.notation.grid not in ("bmatrix", "pmatrix"):
        raise NoPlaceError
    if error in OTHERS and random.random() < 0.4:
        return told(_one_figure(random, Writer(sheet, style).write(), error), error, about)
    changed, name = CHANGES[error](random, sheet)
    if error == "separator" and style.notation.powers and sheet.worked.step(name).about == "weights":
        raise NoPlaceError  # they stand in rows, not in a matrix
    page = Writer(changed, style, name if error == "separator" else "").write()
    lost = misshapen(error, name, sheet, changed)
    return told(page, error, about, name, lost, grid_of(Writer(sheet, style).write(), lost) if lost else "")


def misshapen(error: str, name: str, before: ReadFigures, after: ReadFigures) -> str:
    """The step, where an error changes the shape of its matrix."""
    old, new = (np.shape(sheet.texts.get(name, ())) for sheet in (before, after))
    return name if error == "separator" or old != new else ""


def _one_figure(random: Random, page: Page, error: str) -> Page:
    """One figure, wherever it stands: elsewhere the same number is right."""
    slots = [spot.slot for spot in page.read()[1]]
    slot = random.choice([slot for slot in slots if slot.role in ("result", "literal") and slot.text != "-inf"])
    place = next(place for place, each in enumerate(page.slots) if each is slot)
    page.slots[place] = replace(slot, text=OTHERS[error](random, slot.text))
    return page


def grid_of(page: Page, name: str) -> str:
    """Return the grid of a step as a page writes it."""
    ((start, end), *_) = page.whole(name)
    return page.text[start:end]


def told(
    page: Page, error: str, about: tuple[str, ...], origin: str = "", misshapen: str = "", right_grid: str = ""
) -> Case:
    """Make a case of a page: the figures that are not what they should be are its errors.

    ``right_grid`` is the grid of the step that is misshapen, as it was before the error was planted. A finding is no
    false alarm at the same wrong figure as a factor, and at a sum that may be read in two ways.
    """
    errors: list[KnownError] = []
    allowed: list[Span] = []
    for spot in page.read()[1]:
        slot, span = spot.slot, (spot.start, spot.end)
        if misshapen and slot.of == misshapen:
            allowed.append(span)
        elif slot.role == "repeat" or (slot.role == "either" and not all(slot.readings) and slot.is_right):
            allowed += [] if slot.role == "repeat" and slot.is_right else [span]
        elif slot.role != "given" and not slot.is_right:
            kinds = _kinds(error, not origin or slot.of == origin, not errors)
            errors.append(KnownError((span,), spot.printed, _rights(page, slot), kinds=kinds))
    if misshapen:
        wholes = tuple(page.whole(misshapen))
        is_parted = error == "separator"  # the signs that part its rows put it right
        expected = r"\\" if is_parted else _shape(page, misshapen)
        rights = (right_grid,) if is_parted else ()
        errors.append(KnownError(wholes, misshapen, rights, (expected,), kinds=_kinds(error, True, not errors)))
        allowed += wholes
    return Case((error, *about), page.text, page.name, tuple(errors), allowed=tuple(allowed))


def _kinds(error: str, is_origin: bool, is_first: bool) -> frozenset[str]:
    if not is_origin:
        return frozenset({"propagated"})
    kinds = {*KINDS.get(error, ("wrong", "contradiction", "literal"))}
    # In a chain every step is rounded anew, and goes on from what was rounded before.
    return frozenset(kinds if error != "chain" or is_first else {*kinds, "propagated"})


def _shape(page: Page, name: str) -> str:
    """Return the shape that the grid of a step should have, of which the page prints the transpose."""
    slots = [spot.slot for spot in page.read()[1] if spot.slot.of == name and spot.slot.role == "result"]
    rows, columns = (max(place) + 1 for place in zip(*((slot.row, slot.column) for slot in slots), strict=True))
    is_transposed = any(np.isnan(truth) for slot in slots for truth in slot.truths)
    return f"{columns}×{rows}" if is_transposed else f"{rows}×{columns}"


def _rights(page: Page, slot: Slot) -> tuple[str, ...]:
    decimals = len(slot.text.partition(".")[2]) if slot.text != "-inf" else page.most_decimals(slot.of)
    return tuple(page.written(replace(slot, text=figure(truth, decimals))) for truth in slot.truths)
