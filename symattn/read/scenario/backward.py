"""Gradients in a scenario: a loss, ``[[backward]]`` and steps such as ``dW = grad(L, W)`` become the items that a
person would write in the file, each with its reason and with the notation ∂L/∂W.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from sympy import Expr

from symattn.base.errors import FormulaError, SymattnError, UnknownNameError, shown, unknown
from symattn.base.words import Texts
from symattn.read.formula import is_name
from symattn.read.given import Given
from symattn.read.gradients.chain import BackwardPass, GradientLine, backward
from symattn.read.gradients.jacobians import jacobian_lines
from symattn.read.gradients.moving import Entries, starts
from symattn.read.gradients.ways import INSIDE, OTHER
from symattn.read.plan import Plan
from symattn.read.scenario.definitions import Axes, MadeSection, definitions, derive, entry_named, of_name, section_key
from symattn.read.scenario.model import GradientCheckItem, WatchedEntry
from symattn.read.scenario.problem import Key, Problem, Problems, located
from symattn.read.scenario.schema import File, SectionTable
from symattn.read.scenario.tables import BackwardTable, BuiltStep, ItemEntry, StepTable, TrainTable, UnrolledTable
from symattn.read.scenario.words import joined_words, role_words


@dataclass
class WaysBack:
    """The reasons given so far for the paths of gradients."""

    told: set[str] = field(default_factory=set)

    def reason(self, line: GradientLine, of: str, starts: bool = False) -> Texts | None:
        """Return the reason of a line, if it is new; ``starts`` marks the first line, whose reason also says where the
        chain starts.

        >>> line = GradientLine("dX", "dY @ W.T", "only", "X", "Y", "left")
        >>> ways = WaysBack()
        >>> ways.reason(line, "L")["en"]
        '{X} is the left factor of {Y}: what reaches {Y} goes back through the right factor, by its transpose.'
        >>> ways.reason(line, "L") is None
        True
        """
        names = {"of": line.of, "through": line.through or of, "loss": of}
        told = [*(self._once("because", "start") if starts else ()), *self._of_role(line)]
        return joined_words([role_words(kind, role, names) for kind, role in told])

    def _of_role(self, line: GradientLine) -> Iterator[tuple[str, str]]:
        """Yield the places of the words."""
        match line.role:
            case "inside":
                yield "inside", line.how if line.how in INSIDE else OTHER
                yield from self._once("because", "named")
            case "path":
                yield from self._once("because", "direct" if line.through == line.loss else "path", line.of)
            case "sum":
                yield from self._once("because", "sum")
            case "none":
                yield "because", "none"
        if line.role in ("only", "path") and line.of != line.loss:
            if line.how != OTHER:
                yield from self._once("ways", line.how)
            elif line.role == "only" and line.through != line.loss:
                yield from self._once("because", "only")
        yield from (("because", f"cut_{choice}") for choice in line.cut)

    def _once(self, kind: str, role: str, of: str = "") -> Iterator[tuple[str, str]]:
        what = f"{kind} {role} {of}"
        if what not in self.told:
            self.told.add(what)
            yield kind, role


LOSS = "L"
"""The default name of a file's loss."""

_ASKED = re.compile(r"\s*(?P<name>\w+)\s*(?::=|=|←)\s*(?P<how>grad|vjp|jacobian)\s*\((?P<given>[^()]*)\)\s*(#.*)?\Z")
_UNREAD = UnrolledTable.model_construct(items=())
"""The placeholder for a gradient that could not be read."""


def with_gradients(file: File, axes: Axes, found: Problems) -> File:
    """Return the file with the steps of every gradient that it asks for; impossible ones become problems."""
    return _Unrolling(file, axes, found).whole()


@dataclass
class _Unrolling:
    """Goes through a file and keeps track of the gradients so far."""

    file: File
    axes: Axes
    found: Problems
    passes: dict[tuple[str, str], BackwardPass] = field(default_factory=dict)
    jacobians: dict[tuple[str, str], str] = field(default_factory=dict)
    notation: dict[str, str] = field(default_factory=dict)
    ways: WaysBack = field(default_factory=WaysBack)
    quietly: Problems = field(default_factory=Problems)
    """Problems in the steps before a gradient."""
    checked: set[str] = field(default_factory=set)
    """The losses with a checked gradient."""
    asked: dict[str, list[AskedGradient]] = field(default_factory=dict)
    """The gradients that are steps of the file, by their loss."""

    def whole(self) -> File:
        for i, section in enumerate(self.file.section):
            for j, entry in enumerate(section.steps):
                asked = _ASKED.match(
                    entry.step if isinstance(entry, StepTable) else entry if isinstance(entry, str) else ""
                )
                if asked is not None:
                    self._put(i, j, _UNREAD)
                    with self.found.caught(breaks=asked["name"]):
                        self._put(i, j, self._step(asked, entry, i, j))
        for of, steps in self.asked.items():
            with self.found.caught():
                self._check_steps(of, steps)
        if self.file.loss is not None:
            with self.found.caught(breaks=self.loss):
                self._append(self._loss(self.file.loss))
        for k, table in enumerate(self.file.backward):
            with self.found.caught():
                self._append(self._table(table, ("backward", k)))
        if self.file.train is not None:
            with self.found.caught():
                self._train(self.file.train)
        notation = {**self.notation, **self.file.notation}
        return self.file.model_copy(update={"notation": notation})

    # -- gradients that the file asks for ------------------------------------------------------------------------------

    @property
    def loss(self) -> str:
        """The name of the loss."""
        name, sign, _ = (self.file.loss or "").partition("=")
        return name.strip() if sign and is_name(name.strip()) else LOSS

    def _loss(self, formula: str) -> MadeSection:
        named = self.loss == formula.partition("=")[0].strip()
        if not named and LOSS in (*self.axes.sizes, *self.file.symbols, *self.file.given, *self.file.operation):
            raise Problem(
                ("loss",), f'{LOSS} is something else here: give the loss another name, as in loss = "J = {formula}"'
            )
        step = formula if named else f"{LOSS} = {formula}"
        items = [StepTable(step=step)]
        return self._section(role_words("titles", "loss"), items, ("loss",), None)

    def _step(self, asked: re.Match[str], entry: ItemEntry, i: int, j: int) -> UnrolledTable:
        """Return the items of a step that is a gradient."""
        section = self.file.section[i]
        key = section_key(section, i) if isinstance(section, MadeSection) else (*section_key(section, i), j)
        given = [each.strip() for each in asked["given"].split(",")]
        wanted = {"grad": "grad(L, X)", "vjp": "vjp(Y, G, X)", "jacobian": "jacobian(y, x)"}[asked["how"]]
        if len(given) != wanted.count(",") + 1 or not all(map(is_name, given)):
            said = f"{asked['how']}({asked['given']})"
            raise Problem(key, f"{shown(said)}: expected names, {wanted}: a formula gets a name by a step of its own")
        sections = self.file.section
        before = self._plan([*sections[:i], _cut(sections[i], j)])
        if asked["how"] == "jacobian":
            items = self._jacobian(before, given, asked["name"], key)
        else:
            of, wrt, grad = given[0], given[-1], given[1] if asked["how"] == "vjp" else None
            lines = self._lines(before, of, [wrt], grad, {wrt: asked["name"]}, key)
            items = self._items(lines, of, grad, starts=True)
        check = entry.check if isinstance(entry, StepTable) else None
        if asked["how"] == "grad":
            self.asked.setdefault(given[0], []).append(AskedGradient((i, j), given[1], check, key))
        elif check is not None:
            raise Problem((*key, "check"), f"{asked['how']}: a check is made of the gradient of a loss, grad(L, W)")
        if isinstance(entry, StepTable) and items:
            # The options belong to the gradient that the step names, not to the lines on the way.
            own = {option: getattr(entry, option) for option in entry.model_fields_set - {"step", "check"}}
            items[-1] = items[-1].model_copy(update=own)
        return UnrolledTable.model_construct(items=tuple(items))

    def _jacobian(self, plan: Plan, given: Sequence[str], called: str, key: Key) -> list[BuiltStep]:
        with self._before(key):
            made = jacobian_lines(plan, given[0], given[1], called, self.jacobians)
        whole = [line for line in made.lines if line.is_whole]
        self.notation |= {line.name: f"grad({line.of}, {line.by})" for line in whole}
        self.jacobians |= {(line.of, line.by): line.name for line in whole}
        said = (role_words("because", line.role, {"of": line.of, "by": line.by}) for line in made.lines)
        return [BuiltStep.of(line, need=because) for line, because in zip(made.lines, said, strict=True)]

    def _table(self, table: BackwardTable, key: Key) -> MadeSection:
        plan, of = self._plan(self.file.section), table.of or self.loss
        if not self.quietly.all:
            must_be_there(of, plan, key)
        if table.wrt is None and of in plan.by_name:
            with located(key):
                wrt = list(all_starts(plan, of))
        else:
            wrt = [table.wrt] if isinstance(table.wrt, str) else list(table.wrt or ())
        lines = self._lines(plan, of, wrt, None, {}, key)
        title = dict(table.title) if table.title else role_words("titles", "backward", {"loss": of})
        intro = role_words("intros", "backward", {"loss": of})
        checks: list[Any] = []
        if table.check is not None or of not in self.checked:
            checks = self._checks(of, wrt, table.check, (*key, "check"))
        return self._section(title, [*self._items(lines, of, None), *checks], key, intro)

    def _check_steps(self, of: str, steps: Sequence[AskedGradient]) -> None:
        """Insert a check after the last of the gradients of a loss that are steps."""
        named = next((each for each in steps if each.check is not None), steps[-1])
        found = self._checks(of, [each.by for each in steps], named.check, (*named.key, "check"))
        i, j = steps[-1].place
        unrolled = self.file.section[i].steps[j]
        if isinstance(unrolled, UnrolledTable) and found:
            self._put(i, j, UnrolledTable.model_construct(items=(*unrolled.items, *found)))

    def _checks(
        self, of: str, wrt: Sequence[str], check: str | Literal[False] | None, key: Key
    ) -> list[GradientCheckItem]:
        """Return the check of one of the gradients of a loss; none if all of them are by computed matrices."""
        found = check_items(self.passes[of, ""], of, wrt, check, key)
        if found or check is False:
            self.checked.add(of)
        return found

    def _train(self, table: TrainTable) -> None:
        # Few files train, and the others need not load the module.
        from symattn.read.scenario.training import training

        if "of" not in table.model_fields_set:
            table = table.model_copy(update={"of": self.loss})
        before = self.passes.get((table.of, ""))
        plan, decimals = self._plan(self.file.section), self.file.figures.decimals
        made = training(table, plan, before, lambda lines, of: self._items(lines, of, None), decimals)
        self.notation |= made.notation
        first, *others = made.sections
        if made.first.lines and table.of not in self.checked:
            found = check_items(made.first, table.of, made.weights, None, ("train",))
            first = first.model_copy(update={"steps": [*first.steps, *found]})
        for section in (first, *others):
            self._append(section)

    def _lines(
        self, plan: Plan, of: str, wrt: Sequence[str], grad: str | None, called: Mapping[str, str], key: Key
    ) -> Sequence[GradientLine]:
        known = self.passes.get((of, grad or ""))
        with self._before(key):
            made = backward(plan, of, wrt, grad, called, known, self._entries(plan))
        self.passes[of, grad or ""] = made
        return made.lines

    def _entries(self, plan: Plan) -> Entries:
        if not self.file.symbols:
            return {}
        names = {name: of_name(plan, name) for name in self.file.given if name in plan.by_name or name in plan.batches}
        return entries_of(
            {
                each: part
                for name in names
                for each, part in zip(names[name], self.file.given[name].value.each, strict=False)
            }
        )

    @contextmanager
    def _before(self, key: Key) -> Iterator[None]:
        """Turn an error of gradients into a problem at a key; ignore an unknown name if a step before has one."""
        try:
            yield
        except UnknownNameError as error:
            if self.quietly.all:
                raise Problem.several(self.quietly.all) from None
            raise Problem.of(error, key) from None
        except SymattnError as error:
            raise Problem.of(error, key) from None

    # -- items in their place ------------------------------------------------------------------------------------------

    def _items(self, lines: Sequence[GradientLine], of: str, grad: str | None, starts: bool = False) -> list[BuiltStep]:
        items, notation = items_of(lines, of, grad, self.ways, starts)
        self.notation |= notation
        return items

    def _section(self, title: Texts, items: Sequence[StepTable], key: Key, intro: Texts | None) -> MadeSection:
        return MadeSection.of(key, title=title, intro=intro, steps=list(items))

    def _append(self, section: MadeSection) -> None:
        self.file = self.file.model_copy(update={"section": [*self.file.section, section]})

    def _put(self, i: int, j: int, entry: UnrolledTable) -> None:
        sections = list(self.file.section)
        steps = list(sections[i].steps)
        steps[j] = entry  # type: ignore[call-overload]
        sections[i] = sections[i].model_copy(update={"steps": steps})
        self.file = self.file.model_copy(update={"section": sections})

    def _plan(self, sections: Sequence[SectionTable]) -> Plan:
        """Derive the plan of some sections. Their problems are reported when the whole file is derived."""
        self.quietly = Problems()
        self.quietly.broken.update(self.found.broken)
        before = self.file.model_copy(update={"section": list(sections)})
        return derive(before, self.axes, definitions(before, self.quietly), self.quietly)


@dataclass(frozen=True)
class AskedGradient:
    """A step dW = grad(L, W): its section and place there, the variable, and the entry to be checked."""

    place: tuple[int, int]
    by: str
    check: str | Literal[False] | None
    key: Key


def check_items(
    made: BackwardPass, of: str, wrt: Sequence[str], check: str | Literal[False] | None = None, key: Key = ()
) -> list[GradientCheckItem]:
    """Return the check of the gradients of a loss, which moves the entry ``check`` or one with a large gradient.

    There is none if no gradient is by a given, or if ``check`` is ``False``.
    Raises :class:`~symattn.read.scenario.problem.Problem` for an entry that has no gradient here.
    """
    plan = made.plan
    by_givens = [name for name in wrt if name in plan.by_name and plan[name].is_given and name in made.names]
    if check is False or (not by_givens and check is None):
        return []
    entry = None
    if check is not None:
        name, row, column = entry_named(check, plan, key, "W[2,1]")
        if name not in by_givens:
            raise Problem(key, unknown("given with a gradient", name, by_givens))
        entry = WatchedEntry((name,), row, column)
    return [GradientCheckItem(of, tuple((name, made.names[name]) for name in by_givens), entry, key)]


def items_of(
    lines: Sequence[GradientLine],
    of: str,
    grad: str | None = None,
    ways: WaysBack | None = None,
    starts: bool = False,
) -> tuple[list[BuiltStep], dict[str, str]]:
    """Return the lines of a backward pass as the items of a file, and their notation; ``ways`` holds the reasons given
    so far, and with ``starts`` the first one says where the chain starts."""
    ways = WaysBack() if ways is None else ways
    items: list[BuiltStep] = []
    notation: dict[str, str] = {}
    for line in lines:
        because = ways.reason(line, of, starts and grad is None)
        items.append(BuiltStep.of(line, need=because or None))
        if line.role != "inside":
            through = [line.through] if line.role == "path" else []
            if grad is None:
                notation[line.name] = f"grad({', '.join([of, line.of, *through])})"
            else:
                bar = f"bar({line.of})"
                notation[line.name] = f"part({bar}, {through[0]})" if through else bar
    return items, notation


def entries_of(givens: Mapping[str, Given]) -> Entries:
    """Return the rows of those givens whose entries contain symbols."""
    found: dict[str, tuple[tuple[Expr, ...], ...]] = {}
    for name, given in givens.items():
        entries, columns = given.entries, given.shape[1]
        if any(entry.free_symbols for entry in entries):
            found[name] = tuple(tuple(entries[k : k + columns]) for k in range(0, len(entries), columns))
    return found


def all_starts(plan: Plan, of: str) -> tuple[str, ...]:
    """Return all givens by which a loss has a gradient.

    Raises :class:`~symattn.base.errors.FormulaError` if there is none.
    """
    found = starts(plan, of)
    if not found:
        raise FormulaError(
            f"{of} depends on no given in a way that has a gradient: expected wrt, the names to take it by"
        )
    return found


def must_be_there(of: str, plan: Plan, key: Key) -> None:
    """Refuse a missing loss; if it has the default name, say how to define it.

    Raises :class:`~symattn.read.scenario.problem.Problem` at the key that names it.
    """
    if of in plan.by_name:
        return
    hint = "" if of != LOSS else '; loss = "…" at the top of the file is the formula of it, a single number'
    raise Problem(key, unknown("name", of, plan.by_name) + hint, UnknownNameError)


def _cut(section: SectionTable, count: int) -> SectionTable:
    return section.model_copy(update={"steps": list(section.steps[:count])})
