"""A scenario from what was read in a document, tried before it is handed out: it loads, and every step is worked out.

>>> X = Adopted("X", figures=(("1", "0"), ("0", "1")), line=1)
>>> text = adopt([X, Adopted("A", "softmax(X)", (("0.73", "0.27"), ("0.27", "0.73")), line=2)], "Weights", "en")
>>> from symattn.scenario.load import loads
>>> loads(text).derivation["A"].uses
('X',)
>>> adopt([], "Weights", "en")
Traceback (most recent call last):
    ...
symattn.errors.ScenarioError: nothing can be adopted: no matrix, vector or number with a name and figures was read
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from symattn import limits
from symattn.checking.adopt.model import Adopted, AdoptedLesson, LeftOver
from symattn.checking.adopt.write import lesson_text
from symattn.document.build import failures
from symattn.errors import ScenarioError, SymattnError
from symattn.plan import Plan
from symattn.scenario.lines import Key
from symattn.scenario.load import examine
from symattn.scenario.model import Scenario
from symattn.scenario.problem import Problem
from symattn.shapes import Axis
from symattn.solution import Solution

MOST = limits.SCENARIO_STEPS // 2
"""Quantities of one scenario: each given is also an item of a section."""

ROUNDS = 40
"""How often what cannot be worked out is taken out before nothing is handed out."""

_NOTHING = "nothing can be adopted: no matrix, vector or number with a name and figures was read"


def adopt(
    quantities: Sequence[Adopted],
    title: str,
    language: str,
    left_over: Iterable[LeftOver] = (),
    *,
    tokens: Sequence[str] = (),
    source: str = "",
) -> str:
    """The text of a scenario that ``symattn validate`` accepts.

    A step whose formula does not read, does not fit or has no value is a given with the figures that the document has,
    and a comment where it has none; so is what rests on it.

    Raises :class:`~symattn.errors.ScenarioError` where nothing can be adopted.
    """
    state = _Tried(list(quantities[:MOST]), list(left_over))
    state.left += [_left(each, f"more than {MOST} quantities") for each in quantities[MOST:]]
    for _ in range(ROUNDS):
        state.follow()
        if not any(not each.is_size for each in state.kept):
            raise ScenarioError(_NOTHING)
        lesson = AdoptedLesson(title, language, tuple(state.kept), tuple(state.left), source=source)
        lesson = _with_tokens(lesson, state.plan, tokens)
        problems = _problems(lesson)
        if not problems:
            return lesson_text(lesson)
        if any(problem.key[:1] in (("tokens",), ("token_axis",)) for problem in problems):
            tokens = ()
            continue
        state.without(lesson, problems)
    raise ScenarioError(f"nothing can be adopted: {problems[0].message}")


def given_axes(each: Adopted) -> tuple[Axis, ...]:
    """The axes of a given."""
    rows = each.figures
    sizes = ((), (len(rows[0]),), (len(rows), len(rows[0])))[each.axes] if rows and rows[0] else ()
    return tuple(map(Axis, sizes))


@dataclass
class _Tried:
    """What is kept so far, and what is not."""

    kept: list[Adopted]
    left: list[LeftOver]
    plan: Plan = field(default_factory=Plan)

    def follow(self) -> None:
        """Keep what has a place in a derivation, in order."""
        sizes = {each.name: int(each.figures[0][0]) for each in self.kept if each.is_size}
        self.plan, waiting, self.kept = Plan(sizes=sizes), self.kept, []
        names = {each.name for each in waiting if not each.is_size}
        for each in waiting:
            if each.is_size:
                if each.name not in names:
                    self.kept.append(each)
                continue
            self._take(each)

    def _take(self, each: Adopted) -> None:
        try:
            if each.is_step:
                self.plan = self.plan.step(each.name, each.formula)
            elif not each.figures or len({len(row) for row in each.figures}) > 1:
                raise ScenarioError("no figures")
            else:
                self.plan = self.plan.given_along(each.name, given_axes(each))
        except SymattnError as error:
            self._out(each, str(error))
        else:
            self.kept.append(each)

    def _out(self, each: Adopted, why: str) -> None:
        """What has a formula that is of no use is given by its figures, or a comment."""
        self.left.append(_left(each, why))
        if each.is_step and each.figures:
            self._take(replace(each, formula=""))

    def without(self, lesson: AdoptedLesson, problems: Sequence[Problem]) -> None:
        """Take out what something is wrong with."""
        whys: dict[str, str] = {}
        for problem in problems:
            name, what = _about(lesson, problem.key)
            if not name:
                raise ScenarioError(f"nothing can be adopted: {problem.message}")
            whys.setdefault(name, f"{what}{problem.message}")
        kept, self.kept = self.kept, []
        for each in kept:
            why = whys.get(each.name)
            if why is None:
                self.kept.append(each)
            elif why.startswith("notation"):
                self.kept.append(replace(each, notation=""))
            elif why.startswith("printed"):
                self.left.append(_left(replace(each, formula=""), why))
                self.kept.append(replace(each, figures=()))
            else:
                self.left.append(_left(each, why))
                if each.is_step and each.figures:
                    self.kept.append(replace(each, formula=""))


def _left(each: Adopted, why: str) -> LeftOver:
    said = each.formula or "[" + ", ".join(f"[{', '.join(row)}]" for row in each.figures) + "]"
    return LeftOver(each.line, f"{each.name} = {said}", why, each.section)


def _problems(lesson: AdoptedLesson) -> tuple[Problem, ...]:
    """What is wrong with the file, or what keeps its steps from being worked out."""
    text = lesson_text(lesson)
    scenario, problems = examine(text, "lesson", "lesson.toml")
    return problems if scenario is None else tuple(_unsolved(scenario))


def _unsolved(scenario: Scenario) -> list[Problem]:
    givens = {name: given.given for name, given in scenario.givens.items()}
    store = Solution(scenario.derivation, givens, scenario.style).store
    store.labels = scenario.labels
    return [Problem(key, message) for key, message in failures(scenario, store)]


def _about(lesson: AdoptedLesson, key: Key) -> tuple[str, str]:
    """The quantity that a key of the file is about."""
    match key:
        case ("given" | "sizes", str(name), *_):
            return name, ""
        case ("printed" | "notation" as table, str(name), *_):
            return name, f"{table}: "
        case ("section", int(number), "steps", int(place), *_):
            return _items(lesson)[number][place].name, ""
    return "", ""


def _items(lesson: AdoptedLesson) -> list[list[Adopted]]:
    """The quantities of every section, as they are written."""
    sections: list[list[Adopted]] = []
    for each in lesson.quantities:
        if each.is_size:
            continue
        if not sections or sections[-1][-1].section != each.section:
            sections.append([])
        sections[-1].append(each)
    return sections


def _with_tokens(lesson: AdoptedLesson, plan: Plan, tokens: Sequence[str]) -> AdoptedLesson:
    """The lesson with labels of rows, where some matrix has as many."""
    if not tokens or not any(step.shape.rows.size == len(tokens) for step in plan.steps if step.is_given):
        return lesson
    sizes = {each.name: each.figures[0][0] for each in lesson.quantities if each.is_size}
    if sizes.get("n") == str(len(tokens)):  # the token axis is a size by itself
        kept = tuple(each for each in lesson.quantities if each.name != "n")
        return replace(lesson, quantities=kept, tokens=tuple(tokens))
    used = {each.name for each in lesson.quantities}
    axis = next((name for name in ("n", "n_tokens", "n_rows") if name not in used), "")
    return replace(lesson, tokens=tuple(tokens), token_axis=axis) if axis else lesson
