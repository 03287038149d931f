"""Every operation of ours, written again under another name as somebody's own: same digits, working and programs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from symattn.api.worked import WorkedSolution
from symattn.claims.mistakes.model import bank
from symattn.claims.worked import read_exercise
from symattn.compute.codegen import LANGUAGES
from symattn.operations import NODES
from symattn.operations.equations.tree import Operation
from symattn.operations.node import record_of_kind
from symattn.read.scenario.load import loads
from symattn.read.scenario.operations import table_of
from symattn.read.scenario.toml import toml_text
from symattn.show.blocks import Block, Equation, Listing, Phrase, Question
from symattn.show.build import build_document
from tests.examples import EXAMPLES, RATIONALS

OURS = {kind.__name__: record for kind in NODES if (record := record_of_kind(kind)) is not None}
SIGNS = {"Quotient", "Transpose", "Identity", "OneMatrix", "InEveryRow", "InEveryColumn", "Everywhere"}
"""What formulas write with signs has no name to be called by."""


def table(record: Operation) -> str:
    """The operation as somebody writes it into a file."""
    said = {key: value for key, value in table_of(record).items() if key != "source"}
    return toml_text({"operation": {"mine": said}})


def lesson(formula: str, own: str = "") -> str:
    """A lesson of one step."""
    given = "\n".join(f"{name} = {json.dumps(rows)}" for name, rows in RATIONALS.items())
    return f'title = "t"\n{own}\n[given]\n{given}\n[[section]]\ntitle = "s"\nsteps = ["Z = {formula}"]\n'


def page(formula: str, own: str = "") -> list[Block]:
    """All that a page says of a step but how its formula and its general entry are written, which have the name."""
    scenario = loads(lesson(formula, own), "t.toml")
    solution = WorkedSolution(scenario)
    blocks = build_document(scenario, solution.store, language="en", detail="entries", code=list(LANGUAGES)).blocks
    named = {"formula", "shapes", "entry"}
    return [
        replace(block, code="") if isinstance(block, Listing) else block  # a function of its own has the name, too
        for block in blocks
        if not (isinstance(block, Equation) and block.kind in named)
        and not (isinstance(block, Phrase) and (block.role in ("need", "note") or block.key == "sentences"))
        and not isinstance(block, Question)  # mistakes know only ours
    ]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", [name for name in OURS if name not in SIGNS])
def test_what_is_ours_under_another_name_is_worked_as_ours(name: str) -> None:
    record = OURS[name]
    kind = next(each for each in EXAMPLES if each.__name__ == name)
    for example in EXAMPLES[kind]:
        head, _, rest = example.text.partition("(")
        if head == record.name:
            assert page(f"mine({rest}", table(record)) == page(example.text)
            return
    pytest.fail(f"no example of {name} calls it by its name")


@pytest.mark.parametrize("formula", ["keep(X, MASK)", "X / 2 + MASK", "causal_mask(2) + MASK"])
def test_what_is_inside_a_formula_is_worked_as_ours_too(formula: str) -> None:
    own = page(formula.replace("MASK", "mine(2)"), table(OURS["CausalMask"]))
    assert own == page(formula.replace("MASK", "causal_mask(2)"))


@pytest.mark.parametrize("name", ["Softmax", "LayerNorm", "RMSNorm", "CausalMask"])
def test_the_same_mistakes_are_made_in_it(name: str) -> None:
    record = OURS[name]
    kind = next(each for each in EXAMPLES if each.__name__ == name)
    example = next(each for each in EXAMPLES[kind] if each.text.startswith(f"{record.name}("))
    ours = read_exercise(lesson(example.text))
    mine = read_exercise(lesson(f"mine({example.text.partition('(')[2]}", table(record)))
    made = [[(mistake.name, list(mistake.rewrite(worked.subject))) for mistake in bank()] for worked in (ours, mine)]
    assert made[0] == made[1]
    assert any(changes for _, changes in made[0])
