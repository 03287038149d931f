"""What is said where a proof is not found."""

from __future__ import annotations

from symattn.errors import SymattnError


class ProofError(SymattnError):
    """An equality that is false, or that the rules do not prove; the message names both formulas."""
