"""Scenarios written in Python: plain operators build formulas, and :class:`Derivation` collects them.

>>> from symattn.api.authoring import Derivation, softmax
>>> d = Derivation(title="Weights")
>>> S = d.given("S", [["0", "1"]])
>>> A = d.step("A", softmax(S))
>>> d.solve()["A"].decimals(3)
(('0.269', '0.731'),)
"""

from symattn.api.authoring.derivation import Derivation
from symattn.api.authoring.expression import Expression, Scalar
from symattn.api.authoring.functions import *  # noqa: F403

__all__ = ["Derivation", "Expression", "Scalar"]
