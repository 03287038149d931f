"""What does not fit the form of a scenario file, in sentences: for every kind of error that pydantic has."""

from __future__ import annotations

import re
from typing import Any

from symattn import limits
from symattn.errors import unknown
from symattn.quantities import LARGEST_SIZE
from symattn.scenario.fields import described
from symattn.scenario.lines import Key
from symattn.scenario.problem import Problem


def problem_of(kind: str, place: Key, came: object, context: dict[str, Any], data: Any) -> Problem:
    """What pydantic found at a place of a file, as a sentence."""
    inner = context.get("error")
    if isinstance(inner, Problem):
        return inner.under(_written(place, data))
    if kind == "missing":
        return Problem((*_written(place[:-1], data), place[-1]), "missing: this key is required")
    key = _written(place, data)
    if kind == "literal_error" and isinstance(came, str):
        known = re.findall(r"'([^']*)'", context["expected"])
        return Problem(key, unknown("value", came, known))
    named = {name: _LIMITS.get(limit, limit) for name, limit in context.items() if name in ("le", "max_length")}
    expected = EXPECTED.get(kind, "a value of another kind").format_map({**context, **named})
    if kind in ("too_short", "too_long"):
        return Problem(key, f"expected {expected}, came {context['actual_length']}")
    return Problem(key, f"expected {expected}, came {described(came)}{_WRITTEN.get(kind, '')}")


_WRITTEN = {
    "list_type": '; a list is written ["…", "…"]',
    "dict_type": "; a table is written { name = … }",
}
"""What a beginner may not know of TOML."""

_NAMED = (
    "DIGITS",
    "EQUATIONS",
    "LABELS",
    "MATRIX_ENTRIES",
    "OPERATIONS",
    "SCENARIO_STEPS",
    "SYMBOLS",
    "TRAINING_STEPS",
)
_LIMITS = {
    LARGEST_SIZE: f"LARGEST_SIZE = {LARGEST_SIZE}",
    **{getattr(limits, name): f"{name} = {getattr(limits, name)}" for name in _NAMED},
}
"""How a message calls a bound that is a limit of symattn."""

EXPECTED = {
    "string_type": "a text in quotes",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "literal_error": "{expected}",
    "greater_than_equal": "a whole number from {ge} up",
    "less_than_equal": "a whole number up to {le}",
    "too_short": "at least {min_length} in the list",
    "too_long": "at most {max_length} in the list",
}
"""What was expected, for every kind of pydantic error that these models can give (a test walks them)."""


def _written(place: Key, data: Any) -> Key:
    """pydantic's place without what is not written in the file: the kinds of items, ``value`` of a short given."""
    key: Key = ()
    for part in place:
        in_list = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if in_list or (isinstance(data, dict) and part in data):
            data = data[part]
            key += (part,)
    return key
