"""Every rule of its own that an operation has stands in one table, and there are few of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symattn.document.build  # noqa: F401 - all rules are registered
from symattn.document.entries import entry
from symattn.document.notation import notation
from symattn.document.shape_line import shapes
from symattn.document.worked import entry_work, row_work
from symattn.listing.double import in_double
from symattn.operations.node import record_of_kind
from symattn.operations.overrides import OVERRIDES
from symattn.solution.domain import check
from symattn.solution.symbolic import conditions
from symattn.values.alike import alike
from symattn.values.ball import of_operands
from symattn.values.closed_form import closed_form_size
from symattn.values.cost import cost, products
from symattn.values.exact import exact
from symattn.values.hand import by_hand
from symattn.values.interval import interval
from symattn.values.logarithm import logs
from symattn.values.rational import of_node

STAGES: dict[str, Any] = {
    "ball": of_operands,
    "rational": of_node,
    "exact": exact,
    "hand": by_hand,
    "alike": alike,
    "interval": interval,
    "logarithm": logs,
    "cost": cost,
    "products": products,
    "closed form": closed_form_size,
    "domain": check,
    "conditions": conditions,
    "double": in_double,
    "notation": notation,
    "entry": entry,
    "row work": row_work,
    "entry work": entry_work,
    "shape line": shapes,
}


def rules(stage: Callable[..., Any]) -> set[str]:
    """The operations with equations that a stage has a rule of its own for."""
    registry = stage.registry  # type: ignore[attr-defined]
    return {kind.__name__ for kind in registry if kind is not object and record_of_kind(kind) is not None}


@pytest.mark.parametrize("stage", STAGES)
def test_the_table_of_overrides_names_the_rules_there_are(stage: str) -> None:
    assert rules(STAGES[stage]) == set(OVERRIDES[stage])


def test_every_stage_is_in_the_table() -> None:
    assert set(OVERRIDES) == set(STAGES)
