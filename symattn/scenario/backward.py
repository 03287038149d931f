"""Gradients in a scenario: a loss, ``[[backward]]`` and steps such as ``dW = grad(L, W)`` become the items that the
file could have held itself, each with its reason and with the notation ∂L/∂W.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from symattn.errors import SymattnError, shown
from symattn.formula import is_name
from symattn.gradients.chain import BackwardPass, GradientLine, backward
from symattn.gradients.ways import INSIDE, OTHER
from symattn.plan import Plan
from symattn.scenario.definitions import Axes, definitions, derive
from symattn.scenario.lines import Key
from symattn.scenario.problem import Problem, Problems
from symattn.scenario.role_words import joined_words, role_words
from symattn.scenario.schema import BackwardTable, File, ItemEntry, MadeSection, SectionTable, StepTable, UnrolledTable
from symattn.scenario.train_table import TrainTable
from symattn.words import Texts

LOSS = "L"
"""What the loss of a file is called."""

_ITEMS: TypeAdapter[list[ItemEntry]] = TypeAdapter(list[ItemEntry])
_ASKED = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<how>grad|vjp)\s*\((?P<given>[^()]*)\)\s*\Z")


def with_gradients(file: File, axes: Axes, found: Problems) -> File:
    """The file with the steps of every gradient that it asks for."""
    return _Unrolling(file, axes, found).whole()


@dataclass
class _Unrolling:
    """Goes through a file, and knows the gradients that there are so far."""

    file: File
    axes: Axes
    found: Problems
    passes: dict[tuple[str, str], BackwardPass] = field(default_factory=dict)
    notation: dict[str, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    """The reasons that have been given."""

    def whole(self) -> File:
        for i, section in enumerate(self.file.section):
            for j, entry in enumerate(section.steps):
                asked = _ASKED.match(
                    entry.step if isinstance(entry, StepTable) else entry if isinstance(entry, str) else ""
                )
                if asked is not None:
                    key: Key = ("section", i, "steps", j)
                    with self._caught(asked["name"]):
                        self._put(i, j, self._step(asked, i, j, key))
        if self.file.loss is not None:
            with self._caught(self.loss):
                self._append(self._loss(self.file.loss))
        for k, table in enumerate(self.file.backward):
            with self._caught(""):
                self._append(self._table(table, ("backward", k)))
        if self.file.train is not None:
            with self._caught(""):
                self._train(self.file.train)
        notation = {**self.notation, **self.file.notation}
        return self.file.model_copy(update={"notation": notation})

    def _caught(self, breaks: str) -> Any:
        if not breaks:
            self.found.nothing_is_sure |= False
        return self.found.caught(breaks=breaks)

    # -- what the file asks for ----------------------------------------------------------------------------------------

    @property
    def loss(self) -> str:
        """What the loss is called."""
        name, sign, _ = (self.file.loss or "").partition("=")
        return name.strip() if sign and is_name(name.strip()) else LOSS

    def _loss(self, formula: str) -> MadeSection:
        named = self.loss == formula.partition("=")[0].strip()
        if not named and LOSS in (*self.axes.sizes, *self.file.symbols, *self.file.given, *self.file.operation):
            raise Problem(
                ("loss",), f'{LOSS} is something else here: give the loss another name, as in loss = "J = {formula}"'
            )
        step = formula if named else f"{LOSS} = {formula}"
        return self._section(role_words("titles", "loss"), [{"step": step}], ("loss",), None)

    def _step(self, asked: re.Match[str], i: int, j: int, key: Key) -> UnrolledTable:
        """The items of a step that is a gradient."""
        given = [each.strip() for each in asked["given"].split(",")]
        wanted = {"grad": "grad(L, X)", "vjp": "vjp(Y, G, X)"}[asked["how"]]
        if len(given) != wanted.count(",") + 1 or not all(map(is_name, given)):
            said = f"{asked['how']}({asked['given']})"
            raise Problem(key, f"{shown(said)}: expected names, {wanted}: a formula gets a name by a step of its own")
        sections = self.file.section
        before = self._plan([*sections[:i], _cut(sections[i], j)])
        of, wrt, grad = given[0], given[-1], given[1] if asked["how"] == "vjp" else None
        lines = self._lines(before, of, [wrt], grad, {wrt: asked["name"]}, key)
        return UnrolledTable.model_construct(
            items=tuple(_ITEMS.validate_python(self._items(lines, of, grad, starts=True)))
        )

    def _table(self, table: BackwardTable, key: Key) -> MadeSection:
        wrt = [table.wrt] if isinstance(table.wrt, str) else list(table.wrt)
        of = table.of or self.loss
        lines = self._lines(self._plan(self.file.section), of, wrt, None, {}, key)
        title = dict(table.title) if table.title else role_words("titles", "backward", {"loss": of})
        intro = role_words("intros", "backward", {"loss": of})
        return self._section(title, self._items(lines, of, None), key, intro)

    def _train(self, table: TrainTable) -> None:
        # Few files train, and the others need not know of it.
        from symattn.scenario.training import training

        if "of" not in table.model_fields_set:
            table = table.model_copy(update={"of": self.loss})
        before = self.passes.get((table.of, ""))
        made = training(table, self._plan(self.file.section), before, lambda lines, of: self._items(lines, of, None))
        self.notation |= made.notation
        for section in made.sections:
            self._append(section)

    def _lines(
        self, plan: Plan, of: str, wrt: Sequence[str], grad: str | None, called: Mapping[str, str], key: Key
    ) -> Sequence[GradientLine]:
        known = self.passes.get((of, grad or ""))
        try:
            made = backward(plan, of, wrt, grad, called, known)
        except SymattnError as error:
            raise Problem.of(error, key) from None
        self.passes[of, grad or ""] = made
        return made.lines

    # -- what is put in their place ------------------------------------------------------------------------------------

    def _items(
        self, lines: Sequence[GradientLine], of: str, grad: str | None, starts: bool = False
    ) -> list[dict[str, Any]]:
        """The steps of a backward pass; ``starts`` says that nothing before them tells where it starts."""
        items: list[dict[str, Any]] = []
        for line in lines:
            first = starts and grad is None and not self._is_told("start")
            because = self._reason(line, of, [("because", "start")] if first else [])
            items.append({"step": line.step} | ({"because": because} if because else {}))
            if line.role != "inside":
                through = f", {line.through}" if line.role == "path" else ""
                self.notation[line.name] = f"grad({of}, {line.of}{through})" if grad is None else f"bar({line.of})"
        return items

    def _reason(self, line: GradientLine, of: str, told: list[tuple[str, str]]) -> Texts | None:
        """Why a line is so: each way back is told once, and so is what is said of every matrix that acts in several."""
        names = {"of": line.of, "through": line.through or of, "loss": of}
        match line.role:
            case "inside":
                told.append(("inside", line.how if line.how in INSIDE else OTHER))
                told += [] if self._is_told("named") else [("because", "named")]
            case "path":
                told += [] if self._is_told(f"path {line.of}") else [("because", "path")]
            case "sum":
                told += [] if self._is_told("sum") else [("because", "sum")]
            case "none":
                told.append(("because", "none"))
        if line.role in ("only", "path") and not self._is_told(f"way {line.how}"):
            told.append(("because", "only") if line.how == OTHER else ("ways", line.how))
        return joined_words([role_words(kind, role, names) for kind, role in told])

    def _is_told(self, what: str) -> bool:
        """Whether the page has said this before; from now on it has."""
        is_told = what in self.told
        self.told.add(what)
        return is_told

    def _section(self, title: Texts, items: list[dict[str, Any]], key: Key, intro: Texts | None) -> MadeSection:
        return MadeSection.of(key, title=title, intro=intro, steps=_ITEMS.validate_python(items))

    def _append(self, section: MadeSection) -> None:
        self.file = self.file.model_copy(update={"section": [*self.file.section, section]})

    def _put(self, i: int, j: int, entry: UnrolledTable) -> None:
        sections = list(self.file.section)
        steps = list(sections[i].steps)
        steps[j] = entry  # type: ignore[call-overload]
        sections[i] = sections[i].model_copy(update={"steps": steps})
        self.file = self.file.model_copy(update={"section": sections})

    def _plan(self, sections: Sequence[SectionTable]) -> Plan:
        """The plan of what stands in some sections. What is wrong with it is said when the whole file is derived."""
        quietly = Problems()
        quietly.broken.update(self.found.broken)
        before = self.file.model_copy(update={"section": list(sections)})
        return derive(before, self.axes, definitions(before, quietly), quietly)


def _cut(section: SectionTable, count: int) -> SectionTable:
    return section.model_copy(update={"steps": list(section.steps[:count])})
