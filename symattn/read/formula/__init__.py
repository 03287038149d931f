"""Parse text to formulas, and to nothing else: everything that is not listed is refused, and nothing is executed.

>>> from symattn.base.shapes import shape
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4)}, {"d_k": 4})
>>> read_formula("softmax(Q @ K.T / sqrt(d_k))", scope).expr
Softmax(Quotient(Q*K.T, sqrt(d_k)))
"""

from symattn.read.formula.equation import equations, formula_of, is_equation
from symattn.read.formula.functions import Scope
from symattn.read.formula.names import defined_name
from symattn.read.formula.reader import FUNCTIONS, is_name, read_any, read_formula, read_number, read_scalar, read_value
from symattn.read.formula.special import OPEN
from symattn.read.formula.wrong import no_name

__all__ = [
    "FUNCTIONS",
    "OPEN",
    "Scope",
    "defined_name",
    "equations",
    "formula_of",
    "is_equation",
    "is_name",
    "no_name",
    "read_any",
    "read_formula",
    "read_number",
    "read_scalar",
    "read_value",
]
