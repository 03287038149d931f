"""On one page every letter means one thing, whatever sizes, matrices, steps and numbers on the way are called."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads
from tests.cases import solved
from tests.readback.crowded import Crowded, bound_in, captured, general, indices_in, owned
from tests.readback.page import read_solution

_MATH = re.compile(r"\$\$\n.*?\n\$\$|\$[^$\n]+\$", re.DOTALL)
_DISPLAY = re.compile(r"\$\$\n(.*?)\n\$\$", re.DOTALL)


def clashes(solution: WorkedSolution) -> tuple[list[str], int]:
    """What is bound on a page and means something else, or is bound twice, and how many letters are bound."""
    page, plan = solution.render(language="en", detail="steps"), solution.store.derivation
    bound = bound_in(page)
    displays = [display for display in _DISPLAY.findall(page) if r"\ (" not in display]  # a line of shapes has no index
    used = [*bound, *(letter for display in displays for letter in indices_in(display))]
    wrong = [letter for letter in used if letter in owned((*plan.by_name, *plan.sizes, *plan.symbols))]
    return wrong + [letter for display in displays for letter in captured(display)], len(bound)


def read_crowded(seeds: Iterable[int]) -> tuple[list[str], int, int]:
    """What is wrong on pages of random lessons, how many letters are bound there and how many values were compared."""
    wrong, bound, compared = list[str](), 0, 0
    for seed in seeds:
        try:
            solution = derive(loads(Crowded(seed).scenario()))
            found, count = clashes(solution)
            report = read_solution(solution, ("entries",))
        except SymattnError:
            continue  # what has no value has no page
        wrong += [f"{seed}: {letter}" for letter in found] + [f"{seed}: {said}" for said in report.wrong]
        bound, compared = bound + count, compared + report.compared
    return wrong, bound, compared


def read_general(seeds: Iterable[int]) -> tuple[list[str], int]:
    wrong, bound = list[str](), 0
    for seed in seeds:
        found, count = clashes(derive(loads(general(seed))))
        wrong, bound = wrong + [f"{seed}: {letter}" for letter in found], bound + count
    return wrong, bound


def test_no_letter_of_a_crowded_lesson_means_two_things_and_every_line_is_true() -> None:
    wrong, bound, compared = read_crowded(range(6))
    assert wrong == []
    assert bound > 8
    assert compared > 60


def test_no_sum_of_a_general_lesson_binds_a_size() -> None:
    wrong, bound = read_general(range(12))
    assert wrong == []
    assert bound > 40


def free_latin(solution: WorkedSolution, page: str) -> set[str]:
    """The letters that would do as indices and stand for nothing on a page: not even for entries that it leaves out."""
    plan = solution.store.derivation
    means = {letter.lower() for letter in owned((*plan.by_name, *plan.sizes, *plan.symbols))}
    math = " ".join(re.sub(r"\\\w+\{\w+\}|\\[a-z]+", " ", display) for display in _MATH.findall(page))
    return set("abcdfghijklmnpqrstuvwxyz") - means - set(re.findall("[a-z]", math))


@pytest.mark.sampled(0)
def test_greek_letters_are_indices_only_where_latin_ones_are_used_up() -> None:
    long = (derive(loads(Crowded(seed).scenario(steps=6))) for seed in (3, 7, 12, 16))
    for solution in (solved("training"), *long):
        page = solution.render(language="en", detail="entries")
        greek = [letter for letter in bound_in(page) if letter.startswith("\\")]
        assert not greek or not free_latin(solution, page), (solution.scenario.title, greek)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_no_letter_of_two_thousand_lessons_means_two_things(block: int) -> None:
    wrong, bound, compared = read_crowded(range(100 * block, 100 * (block + 1)))
    others, more = read_general(range(100 * block, 100 * (block + 1)))
    assert [*wrong, *others] == []
    assert bound + more > 500
    assert compared > 2000
