"""symattn: worked solutions of attention, every formula symbolic, every shape checked, every printed digit certified.

>>> import symattn
>>> symattn.derive("refund")["A"].decimals(3)[0]
('0.186', '0.307', '0.506')

Names are imported when they are first used: ``import symattn`` alone does not import SymPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.api import WorkedSolution, derive
    from symattn.derivation import Plan, Step
    from symattn.errors import SymattnError
    from symattn.formula import read_formula
    from symattn.scenario.load import builtin_names, load
    from symattn.scenario.model import Scenario
    from symattn.solution import Solution, Value

_HOMES = {
    "Plan": "symattn.derivation",
    "Scenario": "symattn.scenario.model",
    "Solution": "symattn.solution",
    "Step": "symattn.derivation",
    "SymattnError": "symattn.errors",
    "Value": "symattn.solution",
    "WorkedSolution": "symattn.api",
    "builtin_names": "symattn.scenario.load",
    "derive": "symattn.api",
    "load": "symattn.scenario.load",
    "read_formula": "symattn.formula",
}

__version__ = "0.1.0"

__all__ = [
    "Plan",
    "Scenario",
    "Solution",
    "Step",
    "SymattnError",
    "Value",
    "WorkedSolution",
    "__version__",
    "builtin_names",
    "derive",
    "load",
    "read_formula",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'symattn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
