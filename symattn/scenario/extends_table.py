"""The key ``extends``: which scenario comes before this one."""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from typing import Annotated, Any

from pydantic import BeforeValidator

from symattn.scenario.fields import described
from symattn.scenario.keyed import KeyedTable, key
from symattn.scenario.problem import Problem


class ExtendsTable(KeyedTable):
    """Another scenario whose givens and steps come before those of this one."""

    scenario: str = key("The name of a built-in scenario, or a file in the same folder, which ends in .toml.")
    shown: bool = key(
        "Whether its sections stand on the page; without them its steps are worked out all the same.", True
    )


def _extends(value: Any) -> Any:
    if isinstance(value, str):
        return {"scenario": value}
    if not isinstance(value, dict):
        raise Problem((), f'expected the name of a scenario, such as "weather", came {described(value)}')
    return value


ExtendsEntry = Annotated[ExtendsTable, BeforeValidator(_extends, json_schema_input_type=str | ExtendsTable)]
