"""symattn: worked solutions of attention, every formula symbolic, every shape checked, every printed digit certified.

>>> import symattn
>>> symattn.derive("refund")["A"].decimals(3)[0]
('0.186', '0.307', '0.506')

Names are imported when they are first used: ``import symattn`` alone does not import SymPy, and which functions of
formulas there are is only asked of the table of operations when somebody wants all of them.
"""

# The functions of formulas are named below and come from a star import that type checkers follow.
# ruff: noqa: F405

from __future__ import annotations

import builtins
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.api.authoring import Derivation, Expression, Scalar, functions
    from symattn.api.authoring.functions import *  # noqa: F403
    from symattn.api.authoring.own import operation
    from symattn.api.explanation import Explanation, explain
    from symattn.api.validation import validate
    from symattn.api.worked import WorkedSolution, derive
    from symattn.base.errors import SymattnError
    from symattn.checking.check import check
    from symattn.compute.solution import Solution, Value
    from symattn.read.arrays import matrix
    from symattn.read.formula import read_formula
    from symattn.read.models import attention_of
    from symattn.read.plan import Plan, Step
    from symattn.read.scenario.load import builtin_names, load
    from symattn.read.scenario.model import Scenario
    from symattn.read.scenario.problem import Finding

    __all__: list[str] = [
        "Derivation",
        "Explanation",
        "Expression",
        "Finding",
        "Plan",
        "Scalar",
        "Scenario",
        "Solution",
        "Step",
        "SymattnError",
        "Value",
        "WorkedSolution",
        "__version__",
        "attention_of",
        "builtin_names",
        "check",
        "derive",
        "explain",
        "load",
        "matrix",
        "operation",
        "read_formula",
        "validate",
    ]
    __all__ += functions.__all__

_HOMES = {
    "Derivation": "symattn.api.authoring",
    "Explanation": "symattn.api.explanation",
    "Expression": "symattn.api.authoring",
    "Scalar": "symattn.api.authoring",
    "Plan": "symattn.read.plan",
    "Scenario": "symattn.read.scenario.model",
    "Solution": "symattn.compute.solution",
    "Step": "symattn.read.plan",
    "SymattnError": "symattn.base.errors",
    "Value": "symattn.compute.solution",
    "Finding": "symattn.read.scenario.problem",
    "WorkedSolution": "symattn.api.worked",
    "attention_of": "symattn.read.models",
    "builtin_names": "symattn.read.scenario.load",
    "check": "symattn.checking.check",
    "derive": "symattn.api.worked",
    "explain": "symattn.api.explanation",
    "load": "symattn.read.scenario.load",
    "matrix": "symattn.read.arrays",
    "operation": "symattn.api.authoring.own",
    "read_formula": "symattn.read.formula",
    "validate": "symattn.api.validation",
}

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "__all__":
        # ``abs`` stays Python's for whoever takes all of it; ``symattn.abs`` is there.
        return [each for each in __dir__() if not hasattr(builtins, each)]
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "load_ipython_extension":  # what %load_ext symattn calls
        return import_module("symattn.cli.magics").load_ipython_extension
    if name in ("checking", "course"):
        return import_module(f"symattn.{name}")
    # Every function of the formula language is one of Python too. Which there are is not asked for a module of ours,
    # of which Python wants to know first whether it is here already.
    if not name.startswith("_") and PathFinder.find_spec(f"symattn.{name}", __path__) is None:
        found = import_module("symattn.api.authoring.calls").FUNCTIONS.get(name)
        if found is not None:
            return found
    raise AttributeError(f"module 'symattn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*_HOMES, "__version__", *import_module("symattn.api.authoring.calls").FUNCTIONS})
