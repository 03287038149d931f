"""A derivation with its values."""

from symattn.compute.solution.core import Solution, Value

__all__ = ["Solution", "Value"]
