"""Nothing recurses over steps, and what many ways lead to is looked at once: lessons of as many steps as there may be.

Each step is made of the two before it, so a walk that follows every way takes as long as there are ways: F(490), a
number of 102 digits.
"""

from __future__ import annotations

import json

import pytest
from sympy import MatrixSymbol

from symattn.api.worked import WorkedSolution, derive
from symattn.base.limits import SCENARIO_STEPS
from symattn.claims.mistakes.masks import is_mask
from symattn.claims.mistakes.scores import inputs
from symattn.claims.mistakes.subject import Subject
from symattn.compute.solution.domain import is_never_negative
from symattn.read.scenario.load import loads
from symattn.show.roles.attention import masks
from symattn.show.roles.model import Finder

LENGTH = SCENARIO_STEPS - 10
LAST = MatrixSymbol(f"Y_{LENGTH}", 2, 2)
KINDS = {
    "sums": ("Y_1 = abs(X)", "Y_{this} = Y_{last} + Y_{before}"),
    "masks": ("Y_1 = causal_mask(2)", "Y_{this} = Y_{last} + Y_{before}"),
    "products": ("Y_1 = X @ ones(2, 2)", "Y_{this} = Y_{last} @ Y_{before}"),
    "turned": ("Y_1 = causal_mask(2)", "Y_{this} = Y_{last}.T"),
}


def chain(kind: str, length: int = LENGTH) -> WorkedSolution:
    first, more = KINDS[kind]
    steps = [more.format(this=n, last=n - 1, before=max(n - 2, 1)) for n in range(2, length + 1)]
    lines = json.dumps([first, *steps, f"A = softmax(X + Y_{length})"])
    head = 'title = "Long"\n[given]\nX = [["0.5", "0.25"], ["0.125", "0.5"]]\n'
    return derive(loads(f'{head}[[section]]\ntitle = "All"\nsteps = {lines}\n'))


@pytest.fixture(scope="module")
def subjects() -> dict[str, Subject]:
    return {kind: Subject(chain(kind).store.derivation) for kind in KINDS}


@pytest.mark.sampled(0)
@pytest.mark.parametrize("kind", KINDS)
def test_mistakes_look_at_each_step_once(subjects: dict[str, Subject], kind: str) -> None:
    subject = subjects[kind]
    assert is_mask(subject, LAST) is (kind in ("masks", "turned"))
    assert len(subject.softened) <= LENGTH + 2
    assert len(subject.chain(LAST)) <= 2 * LENGTH
    assert len(list(inputs(subject, LAST))) <= 3 * LENGTH + 1
    assert subject.rests_on(LAST, "X") is (kind in ("sums", "products"))


@pytest.mark.long
def test_roles_look_at_each_mask_once(subjects: dict[str, Subject]) -> None:
    assert len(masks(Finder(subjects["masks"].plan), LAST)) == LENGTH
    assert masks(Finder(subjects["sums"].plan), LAST) == ()


def test_what_is_never_negative_is_seen_through_all_steps() -> None:
    assert is_never_negative(chain("sums").store, LAST)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["markdown", "html", "ipynb", "latex", "json", "xlsx"])
@pytest.mark.parametrize("kind", ["sums", "masks"])
def test_every_format_has_a_page_of_as_many_steps_as_there_may_be(kind: str, format: str) -> None:
    assert chain(kind).published(format)
