"""The beginning of a page, before its first section: the labels of axes, sizes, and a table of letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from symattn.base.shapes import Axis, Shape
from symattn.operations import Softmax
from symattn.operations.stages import same_as_ours
from symattn.read.scenario.model import ProveItem, RuleItem, Scenario, Section, ShowItem, StepItem
from symattn.show.blocks import Argument, Block, Heading, Inline, Labels, Phrase, Table
from symattn.show.entries.letters import page_names
from symattn.show.math import Chain, Math, Number, Script, Sign, joined
from symattn.show.notation.formulas import formula
from symattn.show.notation.letters import TRAINING, PageLetters
from symattn.show.notation.names import Names, axis_size, by_rule
from symattn.show.roles.find import SAY_LITTLE, SAY_NOTHING
from symattn.show.roles.reasons import FEWEST, Roles
from symattn.show.window import LABELS, Window, without_middle

MOST = 28
"""The most rows of the table."""
TOGETHER = 4
"""The most letters of one kind in a row of the table."""
GRADIENTS_TOGETHER = 2
"""The same for gradients, which are wide: four of them take the space of their meaning."""
MET_AT_ONCE = 8
"""The most kinds of letters that a section introduces in a sentence; of more, the table at the end tells."""
LINE = 60
"""The most characters of labels in one line; Chinese ones count twice."""

TOGETHER_IS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("query_weights", "key_weights", "value_weights"), "projection_weights")
)
"""Kinds that share a row of the table if they have one shape."""


def scenario_names(scenario: Scenario) -> Names:
    """Return the notation of the names of a scenario."""
    numbers = (*scenario.sizes, *scenario.quantities)
    listed = ("token" if axis == scenario.token_axis else "label" for axis in _listed_axes(scenario))
    rules = (item.rule for section in scenario.sections for item in section.items if isinstance(item, RuleItem))
    purposes = dict.fromkeys((*listed, *(purpose for rule in rules for purpose in TRAINING[rule.name])))
    # A proof may have powers of e that no step has.
    proves = any(isinstance(item, ProveItem) for section in scenario.sections for item in section.items)
    return page_names(
        scenario.derivation, scenario.notation, scenario.labels, numbers, scenario.symbols, purposes, powers=proves
    )


def _listed_axes(scenario: Scenario) -> list[str]:
    """Return the axes whose labels are too long for a line, so that each label needs a letter."""
    return [axis for axis, listed in scenario.labels.items() if not _fit_in_a_line(listed)]


def _fit_in_a_line(labels: Sequence[str]) -> bool:
    return sum(1 + (char > "\u2e7f") for label in labels for char in f"{label}, ") <= LINE


def tokens(scenario: Scenario) -> Axis | None:
    """Return the axis of the tokens, if a scenario has some."""
    return Axis(len(scenario.tokens), scenario.token_axis) if scenario.tokens else None


def labelled_axes(scenario: Scenario, window: Window, letters: PageLetters) -> Iterator[Block]:
    """Yield the labels of each axis of a matrix that has some; an axis with the labels of the tokens is left out."""
    shapes = (step.shape for step in scenario.derivation.steps)
    used = {axis.name for shape in shapes for axis in (shape.rows, shape.columns)}
    shares = (step.shape for step in scenario.derivation.steps if isinstance(same_as_ours(step.formula), Softmax))
    chosen = {shape.columns.name for shape in shares if shape.rows.name != shape.columns.name}
    for axis, listed in scenario.labels.items():
        if axis not in used:
            continue
        is_said = axis != scenario.token_axis and listed == scenario.labels.get(scenario.token_axis)
        if listed and not is_said:
            kind = "tokens" if axis == scenario.token_axis else "candidates" if axis in chosen else "labels"
            yield _labelled(axis, listed, kind, letters, window)


def _labelled(axis: str, labels: Sequence[str], kind: str, letters: PageLetters, window: Window) -> Block:
    """Return an axis and its labels: in one line if they fit, otherwise as a list with a letter for each."""
    told = (("axis", by_rule(axis)), ("count", len(labels)))
    if _fit_in_a_line(labels):
        return Phrase(f"{kind}_in_line", (*told, ("labels", tuple(labels))))
    letter = letters.letter("token" if kind == "tokens" else "label")
    items = [(Script(letter, sub=Number(str(i))), label) for i, label in enumerate(labels, 1)]
    lead = Phrase("tokens_are" if kind == "tokens" else "labels_are", told, "lead")
    return Labels(lead, without_middle(items, LABELS * window.rows, (Sign("⋮"), "")))


def sizes_said(scenario: Scenario) -> Iterator[Block]:
    """Yield d_model = 4, d_k = 4: the sizes that have names and no labels."""
    if sizes := {name: number for name, number in scenario.sizes.items() if not scenario.labels.get(name)}:
        chains = tuple(Chain(by_rule(name), (("=", Number(str(number))),)) for name, number in sizes.items())
        yield Phrase("sizes_are", (("sizes", chains),))


@dataclass(frozen=True)
class _Row:
    """Letters of one kind and one shape, or a few letters of several shapes."""

    kind: str
    names: tuple[str, ...]


def legend(scenario: Scenario, roles: Roles) -> Iterator[Block]:
    """Yield the table of the letters that a page shows, under its heading: similar ones in one row, and how many are
    left out.

    A short table has all of them; a long one those that have a meaning of their own.
    """
    shown = _shown(scenario, roles)
    if len(shown) < FEWEST:
        return
    rows = _rows(roles, shown)
    kept = _each_alone(roles, rows)
    if len(kept) > MOST:
        kept = [row for row in rows if row.kind not in (SAY_LITTLE if len(rows) > MOST else SAY_NOTHING)][:MOST]
    header = tuple(Phrase(f"head_{key}") for key in ("letter", "role", "shape", "meaning"))
    yield Heading(1, "", (Phrase("legend_title"),))
    if kept:
        yield Table(header, tuple(_cells(roles, row) for row in kept))
    if left := sum(len(row.names) for row in rows) - sum(len(row.names) for row in kept):
        yield Phrase("letters_left", (("count", left),))


def _shown(scenario: Scenario, roles: Roles) -> list[str]:
    """Return the names whose values or formulas a page shows, in order, each once."""
    items = (item for section in scenario.sections for item in section.on_page if isinstance(item, ShowItem | StepItem))
    return [*dict.fromkeys(each for item in items for each in _with_general(roles, item.name))]


def _with_general(roles: Roles, name: str) -> tuple[str, ...]:
    return (*_general(roles, name), name) if name in roles.found else ()


class LettersMet:
    """The letters that a page has explained where they first appear; a page with few letters explains none."""

    def __init__(self, scenario: Scenario, roles: Roles) -> None:
        self.roles, self.met, self.told = roles, set[str](), set[str]()
        self.says_something = len(_shown(scenario, roles)) >= FEWEST

    def introduced(self, section: Section) -> Iterator[Block]:
        """Yield what the letters of a section mean that the page has not had before."""
        items = (item for item in section.on_page if isinstance(item, ShowItem | StepItem))
        every = dict.fromkeys(each for item in items for each in _with_general(self.roles, item.name))
        new = [name for name in every if name not in self.met]
        self.met.update(new)
        rows = [row for row in _rows(self.roles, new) if row.kind not in SAY_NOTHING] if self.says_something else []
        if (told := tuple(_told(self.roles, row) for row in rows)) and len(told) <= MET_AT_ONCE:
            yield Phrase("letters_new", (("letters", told),))

    def rounded(self, section: Section) -> Iterator[Block]:
        """Yield the note on rounded givens in the first section that works with them."""
        names = [item.name for item in section.on_page if isinstance(item, ShowItem | StepItem)]
        found = dict.fromkeys(given for name in names for given in self.roles.solution.rounded_givens(name))
        if new := [given for given in found if given not in self.told]:
            self.told.update(new)
            yield Phrase("intervals_shown", (("givens", tuple(map(self.roles.names, new))),), "note")


def _told(roles: Roles, row: _Row) -> tuple[Argument, ...]:
    """Return the letters of a row, what they are called, and what they mean."""
    symbols, called, _, meaning = (cell[0] for cell in _cells(roles, row))
    return symbols, called, meaning


def _general(roles: Roles, name: str) -> tuple[str, ...]:
    """Return the names without numbers in a formula: no item shows them."""
    derivation = roles.solution.derivation
    return tuple(used for used in derivation[name].uses if derivation[used].is_given and derivation[used].general)


def from_before(names: Iterable[str], roles: Roles, shaped: Callable[[Math, Shape], Math]) -> Iterator[Block]:
    """Yield the meanings of the letters that a part of a page uses and does not show."""
    told = tuple((shaped(roles.names(name), roles.solution.shape(name)), roles.called(name)) for name in names)
    if told:
        yield Phrase("letters_from_before", (("letters", told),))


def _rows(roles: Roles, shown: Sequence[str]) -> list[_Row]:
    found: dict[tuple[str, Shape], list[str]] = {}
    for name in shown:
        kind = roles.kind(name)
        key = (TOGETHER_IS.get(kind, kind), roles.solution.shape(name))
        found.setdefault(key, []).append(name)
    rows: list[_Row] = []
    for (kind, _), names in found.items():
        kinds = dict.fromkeys(roles.kind(name) for name in names)
        if len(kinds) == list(TOGETHER_IS.values()).count(kind):
            rows.append(_Row(kind, tuple(names)))
        else:
            alike = ((each, [name for name in names if roles.kind(name) == each]) for each in kinds)
            rows += [_Row(each, tuple(those)) for each, those in alike]
    kinds = dict.fromkeys(row.kind for row in rows)
    return [row for kind in kinds for row in _together([row for row in rows if row.kind == kind])]


def _each_alone(roles: Roles, rows: list[_Row]) -> list[_Row]:
    """Return the rows, with a row for every step whose kind has no meaning: its formula takes the place of one."""
    found: list[_Row] = []
    for row in rows:
        if _is_told_by_formula(roles, row):
            found += [_Row(row.kind, (name,)) for name in row.names]
        else:
            found.append(row)
    return found


def _is_told_by_formula(roles: Roles, row: _Row) -> bool:
    return row.kind in SAY_NOTHING and roles.solution.derivation[row.names[0]].formula is not None


def _together(rows: list[_Row]) -> list[_Row]:
    """Return the rows of one kind, merged into one if they have few letters."""
    names = tuple(name for row in rows for name in row.names)
    if len(names) > TOGETHER and rows[0].kind != "gradient":
        return rows
    return [_Row(rows[0].kind, names)]


def _cells(roles: Roles, row: _Row) -> tuple[tuple[Inline, ...], ...]:
    room = GRADIENTS_TOGETHER if row.kind == "gradient" else TOGETHER
    symbols: list[Math] = [roles.names(name) for name in row.names[:room]]
    if len(row.names) > room:
        symbols[-1] = Sign("⋯")
    shapes = [roles.solution.shape(name) for name in row.names]
    sizes = [joined([axis_size(shape.rows), axis_size(shape.columns)], "×") for shape in shapes]
    sized: Inline = joined(sizes if len({*sizes}) > 1 else sizes[:1], ",")
    if row.kind == "gradient" and len({*sizes}) > 1:
        sized = Phrase("shape_of_gradient")
    of_words = 1 if all(map(roles.are_words, row.names)) else 2
    meaning: Inline = Phrase(f"role_{row.kind}", (("means", of_words),))
    if len(row.names) == 1 and _is_told_by_formula(roles, row):
        meaning = formula(roles.solution.derivation[row.names[0]].formula, roles.names)
    return ((joined(symbols, ","),), (roles.called(row.names[0], row.kind),), (sized,), (meaning,))
