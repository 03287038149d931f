"""What operations do in their own way, stage by stage, beside what follows from their equations: which, and why.

A stage is one of the questions that are asked of every operation. Its answer follows from the equations; where that is
too slow, too wide or not how people write it, a rule of its own stands at the stage and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_RULES: Mapping[str, Mapping[str, str]] = {
    "ball": {  # symattn.values.ball.of_operands
        "GELU": "erfc keeps its digits where erf is nearly -1",
        "OneHot": "an id is known to be whole: the only whole number in its enclosure is the id",
        "Quotient": "FLINT multiplies a whole matrix by one number; entry by entry takes six times as long",
        "SiLU": "far below zero e^(-x) is beyond every number, while x e^x / (1 + e^x) is as it should be",
        "Transpose": "FLINT turns a whole matrix; entry by entry takes forty times as long",
    },
    "rational": {  # symattn.values.rational.of_node
        "Exp": "exponentials of logarithms are rational",
        "Keep": "a mask of -oo is not rational and yet says what it hides",
        "Quotient": "FLINT multiplies a whole matrix by one number",
        "Softmax": "shares of exponentials of logarithms are rational",
        "Transpose": "FLINT turns a whole matrix",
    },
    "exact": {  # symattn.values.exact.exact
        "RowMax": "the largest is certified by the solution, without a look at closed forms",
        "Transpose": "SymPy turns a whole matrix",
    },
    "hand": {  # symattn.values.hand.by_hand
        "AdditiveScores": "each sum and its tanh are written down, which have three indices and no name",
        "Angle Cosine": "people divide by the lengths in several ways",
        "ClipNorm": "the sum of squares and the factor are written down too",
        "ELU": "the exponential is written down where it is needed only",
        "Entropy": "logarithms and products are written down, and none of a weight of 0",
        "GELUTanh": "the share (1 + tanh) / 2 is written down too",
        "LayerNorm Proportions RMSNorm UnitRows": "the doubt about an entry counts once above and below the line",
        "Quotient": "people divide by a root or multiply by its reciprocal",
        "Rotary": "sine and cosine of an angle are written down too",
        "RowNorm": "the sum of squares is written down too",
        "SiLU": "beyond every number there is nothing to write down",
        "Sinusoidal": "an angle that is a short decimal is not written down again",
        "Softmax": "the doubt about an entry counts once, and people take the largest score away first or do not",
    },
    "alike": {},  # symattn.values.alike.alike
    "interval": {  # symattn.values.interval.interval
        "Angle": "it falls with the cosine, and stays between 0 and 180",
        "Cosine": "of two vectors that are made as long as 1 first, and never beyond 1",
        "Exp": "it grows, so that its ends are at the ends",
        "Keep": "a mask may be -oo, which is no interval",
        "LayerNorm": "an entry counts once in its mean, and no entry is farther from 0 than a row allows",
        "OneHot": "rounded figures are no ids, and refused instead of 0 and 1 together",
        "Proportions Softmax": "an entry stands above and below the line, and counts once: the ends are at the corners",
        "RowNorm": "squares of an interval around 0 start at 0",
        "UnitRows": "an entry stands above and below the line, and counts once",
    },
    "logarithm": {},  # symattn.values.logarithm.logs
    "cost": {},  # symattn.values.cost.cost
    "products": {},  # symattn.values.cost.products
    "closed form": {  # symattn.values.closed_form.closed_form_size
        "AdditiveScores": "what is shown in closed form hangs on it: tanh in a sum counts once",
        "ELU": "what is shown in closed form hangs on it: the exponential counts once",
        "GELUTanh": "what is shown in closed form hangs on it: the cube and the argument of tanh count once",
        "LayerNorm": "what is shown in closed form hangs on it: the mean in a deviation counts with it",
        "Rotary": "what is shown in closed form hangs on it: sine and cosine count as one entry",
        "RowNorm": "what is shown in closed form hangs on it: the root counts as one entry more",
        "Softmax": "what is shown in closed form hangs on it: an exponential in a share counts once",
    },
    "domain": {  # symattn.solution.domain.check
        "Keep": "a mask is never positive, which its equations do not ask for",
        "OneHot": "an id is a whole number within the table, which its equations do not ask for",
        "Softmax": "a row that sees no key is told with its label, or let through",
    },
    "conditions": {  # symattn.solution.symbolic.conditions
        "Keep": "a mask is a number",
        "OneHot": "an id is a number",
    },
    "double": {  # symattn.codegen.double.in_double
        "Angle": "programs go by an arctangent, which keeps the digits that the arccosine loses near 0 and 180",
        "GELU": "R goes by the normal distribution itself, without the digits that 1 + erf loses",
        "LayerNorm": "PyTorch multiplies before it subtracts, and then the difference has been rounded",
    },
    "notation": {  # symattn.document.notation.formulas.notation
        "Dot": "of two rows, a sign between them",
        "EntryQuotient Hadamard": "a sign between the two",
        "GELUTanh": "told from GELU by what stands under its name",
        "Head": "its number stands under its name",
        "Identity": "a letter with its size",
        "OneMatrix": "a bold 1 with its shape",
        "Quotient": "a fraction",
        "Rotary Sinusoidal": "the base stands under its name",
        "Row": "named by the label of the row",
        "RowNorm": "of one row, bars around it",
        "Rows": "a range under the matrix",
        "Stack": "one above the other in brackets",
        "Transpose": "a sign beside the matrix",
        "ZeroMatrix": "a 0",
    },
    "entry": {  # symattn.document.entries.nodes.entry
        "ClipNorm": "‖G‖ is how people write the length of a matrix, and min(1, c/‖G‖) what it is clipped by",
    },
    "row work": {  # symattn.document.working.equations.row_work
        "Angle Cosine": "lengths and products are shown as figures of their own; nobody adds them up again",
        "ClipNorm": "the length of all entries is written ‖G‖",
        "Proportions Softmax": "where exponentials are too long or small to read, the largest score is taken off first",
        "Rotary Sinusoidal": "the angles of pairs of columns have the lines of a row, 2·θ_2 = 2·10000^{−2/4} = 0.02",
    },
    "entry work": {  # symattn.document.working.equations.entry_work
        "AdditiveScores": "the values of tanh inside the sum are a line of their own",
        "Angle": "from the figure of the cosine",
        "ClipNorm": "written with a minimum, g·min(1, c/‖G‖), not by cases",
        "Cosine": "lengths and products are shown as figures of their own; nobody adds them up again",
        "Exp": "e^{ln 2} is 2, whatever else is in the matrix",
        "Proportions Softmax": "where exponentials are too long or small to read, the largest score is taken off first",
        "Rotary Sinusoidal": "the angles of pairs of columns have the lines of a row, 2·θ_2 = 2·10000^{−2/4} = 0.02",
    },
    "shape line": {  # symattn.document.forms.shape_line.shapes
        "Broadcast": "the formula above has its number, and the result its rows",
        "Row": "the formula above has its number",
        "Rows": "a range has no room for shapes under the matrix",
        "Transpose": "a block of columns has no room for shapes under the matrix",
    },
    "symbols": {  # symattn.values.symbolic.CASES
        "ClipNorm": "min(1, c/‖G‖) stays written, where its cases would need a sign",
        "ELU": "max(0, x) + e^min(0, x) - 1 stays written, where its cases would need a sign",
        "RowMax": "the largest stays written, where exact arithmetic asks the solution which it is",
    },
    "proof": {  # symattn.proof.definitions.general_entry
        "Concat Stack": "an entry stays one of the node until a sum over it is split into its parts",
        "Keep": "a mask of 0 and -oo is a factor of 1 and 0, which rules about products know",
        "Rotary Sinusoidal": "an entry stays one of the node until its column is known to be first or second of a pair",
    },
    "helper": {  # functions in symattn.codegen that are written by hand, for one language of programs or more
        "Angle": "an arctangent keeps the digits that the arccosine loses near 0 and 180",
        "GELU": "R has the normal distribution itself, and no erf",
        "Softmax": "people subtract the largest score before they take exponentials",
    },
}
"""By stage, whose function stands beside it: the operations, and the reason for the rules of their own."""

OVERRIDES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        stage: MappingProxyType({name: reason for names, reason in rules.items() for name in names.split()})
        for stage, rules in _RULES.items()
    }
)
"""The reasons by stage and operation."""
