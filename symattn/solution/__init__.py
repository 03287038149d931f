"""A derivation with its values."""

from symattn.solution.core import Solution, Value

__all__ = ["Solution", "Value"]
