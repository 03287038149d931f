"""A scenario from what was read in a document, tried before it is handed out: it loads, every step is worked out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from symattn.base import limits
from symattn.base.errors import ScenarioError
from symattn.base.words import language_named
from symattn.checking.adopt.from_reading import quantities_of
from symattn.checking.adopt.model import Adopted, AdoptedLesson, LeftOver, lesson_text
from symattn.checking.following.follow import Follower
from symattn.checking.following.hints import chinese_of
from symattn.checking.following.rows import BITS
from symattn.checking.phrases import written_in
from symattn.checking.reading.tree import Reading, Talk
from symattn.checking.source import Readable
from symattn.compute.solution import Solution
from symattn.compute.values.balls import at_precision
from symattn.read.scenario.load import examine
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.problem import Key, Problem
from symattn.show.build import failures

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

    Raises :class:`~symattn.base.errors.ScenarioError` where nothing can be adopted.
    """
    kept, left = list(quantities[:MOST]), list(left_over)
    left += [_left(each, f"more than {MOST} quantities") for each in quantities[MOST:]]
    for _ in range(ROUNDS):
        if all(each.is_size for each in kept):
            raise ScenarioError(_NOTHING)
        lesson = AdoptedLesson(title, language, tuple(kept), tuple(left), source=source)
        lesson = _with_tokens(lesson, tokens)
        problems = _problems(lesson)
        if not problems:
            return lesson_text(lesson)
        if any(problem.key[:1] in (("tokens",), ("token_axis",)) for problem in problems):
            tokens = ()
            continue
        kept = _without(kept, _whys(lesson, problems), left)
    raise ScenarioError(f"nothing can be adopted: {problems[0].message}")


def _without(kept: Sequence[Adopted], whys: Mapping[str, str], left: list[LeftOver]) -> list[Adopted]:
    """What is left without what something is wrong with, and without what rests on that."""
    found: list[Adopted] = []
    gone: set[str] = set()
    for each in kept:
        rests = next((f"rests on {name}" for name in re.findall(r"\w+", each.formula) if name in gone), "")
        why = whys.get(each.name, rests)
        if why.startswith("notation"):
            found.append(replace(each, notation=""))
        elif why.startswith("printed"):
            left.append(_left(replace(each, formula=""), why))
            found.append(replace(each, figures=()))
        elif why:
            left.append(_left(each, why))
            if each.is_step and each.figures:
                found.append(replace(each, formula=""))
            else:
                gone.add(each.name)
        else:
            found.append(each)
    return found


def _whys(lesson: AdoptedLesson, problems: Sequence[Problem]) -> dict[str, str]:
    """What is wrong with each quantity."""
    whys: dict[str, str] = {}
    for problem in problems:
        name, what = _about(lesson, problem.key)
        if not name:
            raise ScenarioError(f"nothing can be adopted: {problem.message}")
        whys.setdefault(name, f"{what}{problem.message}")
    return whys


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
            return lesson.sections()[number][1][place].name, ""
    return "", ""


def _with_tokens(lesson: AdoptedLesson, tokens: Sequence[str]) -> AdoptedLesson:
    """The lesson with labels of rows, where some matrix has as many."""
    matrices = [each.figures for each in lesson.quantities if each.is_given and each.axes == 2]
    if not tokens or all(len(rows) != len(tokens) for rows in matrices):
        return lesson
    sizes = {each.name: each.figures[0][0] for each in lesson.quantities if each.is_size}
    if sizes.get("n") == str(len(tokens)):  # the token axis is a size by itself
        kept = tuple(each for each in lesson.quantities if each.name != "n")
        return replace(lesson, quantities=kept, tokens=tuple(tokens))
    used = {each.name for each in lesson.quantities}
    axis = next((name for name in ("n", "n_tokens", "n_rows") if name not in used), "")
    return replace(lesson, tokens=tuple(tokens), token_axis=axis) if axis else lesson


_HAN = re.compile(r"[\u4e00-\u9fff]")
_OTHER = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[A-Za-z]{2,}")


def adopted_document(document: Readable, reading: Reading, *, title: str = "", language: str = "") -> str:
    """The scenario that a document holds; its title and its language, unless others are said.

    Raises :class:`~symattn.base.errors.ScenarioError` where nothing can be adopted, and
    :class:`~symattn.base.errors.UnknownNameError` for a language that is not there.
    """
    follower = Follower(chinese=chinese_of(document.text))
    with at_precision(BITS):
        follower.follow(reading)
    read = quantities_of(reading, document, follower.scope.quantities)
    said = " ".join(told.text for told in reading.told if isinstance(told, Talk))
    name = PurePath(document.name).name
    return adopt(
        read.quantities,
        title or read.title or PurePath(name).stem or "Lesson",
        language_named(language) if language else language_of(said),
        read.left_over,
        tokens=read.tokens,
        source=name,
    )


def language_of(text: str) -> str:
    """Which of our languages a text is in: Chinese where there is more of it than words in letters, else English.

    >>> [language_of(text) for text in ("對每一列做 softmax", "对每一行做 softmax", "行ごとの softmax", "over rows")]
    ['zh-Hant', 'zh-Hans', 'en', 'en']
    """
    han = _HAN.findall(text)
    if not han or len(_OTHER.findall(text)) * 10 > len(han) or len(han) < len(_WORD.findall(text)):
        return "en"
    return written_in(chinese_of(text) or "hant")
