"""What operations do in their own way, stage by stage, beside what follows from their equations: which, and why.

A stage is one of the questions that are asked of every operation. Its answer follows from the equations; where that is
too slow, too wide or not how people write it, a rule of its own stands at the stage and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# -- ball ------------------------------------------------------------------------------------------------

BALL: Mapping[str, str] = MappingProxyType(
    {
        "GELU": "erfc keeps its digits where erf is nearly -1",
        "OneHot": "an id is known to be whole: the only whole number in its enclosure is the id",
        "Quotient": "FLINT multiplies a whole matrix by one number; entry by entry takes six times as long",
        "SiLU": "far below zero e^(-x) is beyond every number, while x e^x / (1 + e^x) is as it should be",
        "Transpose": "FLINT turns a whole matrix; entry by entry takes forty times as long",
    }
)
"""Rules of ``symattn.values.ball.of_operands``."""


# -- rational --------------------------------------------------------------------------------------------

RATIONAL: Mapping[str, str] = MappingProxyType(
    {
        "Exp": "exponentials of logarithms are rational",
        "Keep": "a mask of -oo is not rational and yet says what it hides",
        "Quotient": "FLINT multiplies a whole matrix by one number",
        "Softmax": "shares of exponentials of logarithms are rational",
        "Transpose": "FLINT turns a whole matrix",
    }
)
"""Rules of ``symattn.values.rational.of_node``."""


# -- exact -----------------------------------------------------------------------------------------------

EXACT: Mapping[str, str] = MappingProxyType(
    {
        "RowMax": "the largest is certified by the solution, without a look at closed forms",
        "Transpose": "SymPy turns a whole matrix",
    }
)
"""Rules of ``symattn.values.exact.exact``."""


# -- hand ------------------------------------------------------------------------------------------------

HAND: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "each sum and its tanh are written down, which have three indices and no name",
        "Angle": "people divide by the lengths in several ways",
        "ClipNorm": "the sum of squares and the factor are written down too",
        "Cosine": "people divide by the lengths in several ways",
        "ELU": "the exponential is written down where it is needed only",
        "Entropy": "logarithms and products are written down, and none of a weight of 0",
        "GELUTanh": "the share (1 + tanh) / 2 is written down too",
        "LayerNorm": "the doubt about an entry counts once above and below the line",
        "Proportions": "the doubt about an entry counts once above and below the line",
        "Quotient": "people divide by a root or multiply by its reciprocal",
        "RMSNorm": "the doubt about an entry counts once above and below the line",
        "Rotary": "sine and cosine of an angle are written down too",
        "RowNorm": "the sum of squares is written down too",
        "SiLU": "beyond every number there is nothing to write down",
        "Sinusoidal": "an angle that is a short decimal is not written down again",
        "Softmax": "the doubt about an entry counts once, and people take the largest score away first or do not",
        "UnitRows": "the doubt about an entry counts once above and below the line",
    }
)
"""Rules of ``symattn.values.hand.by_hand``."""


# -- alike -----------------------------------------------------------------------------------------------

ALIKE: Mapping[str, str] = MappingProxyType({})
"""Rules of ``symattn.values.alike.alike``."""


# -- interval --------------------------------------------------------------------------------------------

INTERVAL: Mapping[str, str] = MappingProxyType(
    {
        "Angle": "it falls with the cosine, and stays between 0 and 180",
        "Cosine": "of two vectors that are made as long as 1 first, and never beyond 1",
        "Exp": "it grows, so that its ends are at the ends",
        "Keep": "a mask may be -oo, which is no interval",
        "LayerNorm": "an entry counts once in its mean, and no entry is farther from 0 than a row allows",
        "OneHot": "rounded figures are no ids",
        "Proportions": "an entry stands above and below the line, and counts once: the ends are at the corners",
        "RowNorm": "squares of an interval around 0 start at 0",
        "Softmax": "an entry stands above and below the line, and counts once: the ends are at the corners",
        "UnitRows": "an entry stands above and below the line, and counts once",
    }
)
"""Rules of ``symattn.values.interval.interval``."""


# -- logarithm -------------------------------------------------------------------------------------------

LOGARITHM: Mapping[str, str] = MappingProxyType(
    {
        "Dot": "a product with one factor of logarithms, all others rational",
    }
)
"""Rules of ``symattn.values.logarithm.logs``."""


# -- cost ------------------------------------------------------------------------------------------------

COST: Mapping[str, str] = MappingProxyType({})
"""Rules of ``symattn.values.cost.cost``."""


# -- products --------------------------------------------------------------------------------------------

PRODUCTS: Mapping[str, str] = MappingProxyType({})
"""Rules of ``symattn.values.cost.products``."""


# -- closed form -----------------------------------------------------------------------------------------

CLOSED_FORM: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "what is shown in closed form hangs on it: tanh in a sum counts once",
        "ELU": "what is shown in closed form hangs on it: the exponential counts once",
        "GELUTanh": "what is shown in closed form hangs on it: the cube and the argument of tanh count once",
        "LayerNorm": "what is shown in closed form hangs on it: the mean in a deviation counts with it",
        "Rotary": "what is shown in closed form hangs on it: sine and cosine count as one entry",
        "RowNorm": "what is shown in closed form hangs on it: the root counts as one entry more",
        "Softmax": "what is shown in closed form hangs on it: an exponential in a share counts once",
    }
)
"""Rules of ``symattn.values.closed_form.closed_form_size``."""


# -- domain ----------------------------------------------------------------------------------------------

DOMAIN: Mapping[str, str] = MappingProxyType(
    {
        "Keep": "a mask is never positive, which its equations do not ask for",
        "OneHot": "an id is a whole number within the table, which its equations do not ask for",
        "Softmax": "a row that sees no key is told with its label, or let through",
    }
)
"""Rules of ``symattn.solution.domain.check``."""


# -- conditions ------------------------------------------------------------------------------------------

CONDITIONS: Mapping[str, str] = MappingProxyType(
    {
        "Keep": "a mask is a number",
        "OneHot": "an id is a number",
    }
)
"""Rules of ``symattn.solution.symbolic.conditions``."""


# -- double ----------------------------------------------------------------------------------------------

DOUBLE: Mapping[str, str] = MappingProxyType(
    {
        "Angle": "programs go by an arctangent, which keeps the digits that the arccosine loses near 0 and 180",
        "GELU": "R goes by the normal distribution itself, without the digits that 1 + erf loses",
        "LayerNorm": "PyTorch multiplies before it subtracts, and then the difference has been rounded",
    }
)
"""Rules of ``symattn.listing.double.in_double``."""


# -- notation --------------------------------------------------------------------------------------------

NOTATION: Mapping[str, str] = MappingProxyType(
    {
        "CausalMask": "written without its usual number, whatever it is: its entry says it",
        "Dot": "of two rows, a sign between them",
        "EntryQuotient": "a sign between the two",
        "GELUTanh": "told from GELU by what stands under its name",
        "Hadamard": "a sign between the two",
        "Head": "its number stands under its name",
        "Identity": "a letter with its size",
        "LayerNorm": "written without its usual number, whatever it is: its entry says it",
        "OneMatrix": "a bold 1 with its shape",
        "PaddingMask": "written without its usual number, whatever it is: its entry says it",
        "Quotient": "a fraction",
        "RMSNorm": "written without its usual number, whatever it is: its entry says it",
        "Rotary": "the base stands under its name",
        "Row": "named by the label of the row",
        "RowNorm": "of one row, bars around it",
        "Rows": "a range under the matrix",
        "Sinusoidal": "the base stands under its name",
        "Stack": "one above the other in brackets",
        "Transpose": "a sign beside the matrix",
        "WindowMask": "written without its usual number, whatever it is: its entry says it",
        "ZeroMatrix": "a 0",
    }
)
"""Rules of ``symattn.document.notation.notation``."""


# -- entry -----------------------------------------------------------------------------------------------

ENTRY: Mapping[str, str] = MappingProxyType(
    {
        "CausalMask": "a name with indices, without the sizes that it is called with",
        "ClipNorm": "‖G‖ is how people write the length of a matrix, and min(1, c/‖G‖) what it is clipped by",
        "PaddingMask": "a name with indices, without the sizes that it is called with",
        "Rotary": "written pair by pair, with θ_t for the frequencies",
        "Sinusoidal": "written pair by pair, with θ_t for the frequencies",
        "WindowMask": "a name with indices, without the sizes that it is called with",
    }
)
"""Rules of ``symattn.document.entries.entry``."""


# -- row work --------------------------------------------------------------------------------------------

ROW_WORK: Mapping[str, str] = MappingProxyType(
    {
        "Angle": "lengths and products are shown as figures of their own; nobody adds them up again",
        "ClipNorm": "the length of all entries is written ‖G‖",
        "Cosine": "lengths and products are shown as figures of their own; nobody adds them up again",
        "Proportions": "where exponentials are too long or too small to be read, the largest score is taken off first",
        "Rotary": "the angles of pairs of columns have the lines of a row, 2·θ_2 = 2·10000^{−2/4} = 0.02",
        "Sinusoidal": "the angles of pairs of columns have the lines of a row, 2·θ_2 = 2·10000^{−2/4} = 0.02",
        "Softmax": "where exponentials are too long or too small to be read, the largest score is taken off first",
    }
)
"""Rules of ``symattn.document.worked.row_work``."""


# -- entry work ------------------------------------------------------------------------------------------

ENTRY_WORK: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "the values of tanh inside the sum are a line of their own",
        "Angle": "from the figure of the cosine",
        "ClipNorm": "written with a minimum, g·min(1, c/‖G‖), not by cases",
        "Cosine": "lengths and products are shown as figures of their own; nobody adds them up again",
        "Exp": "e^{ln 2} is 2, whatever else is in the matrix",
        "Proportions": "where exponentials are too long or too small to be read, the largest score is taken off first",
        "Rotary": "the angles of pairs of columns have the lines of a row, 2·θ_2 = 2·10000^{−2/4} = 0.02",
        "Sinusoidal": "the angles of pairs of columns have the lines of a row, 2·θ_2 = 2·10000^{−2/4} = 0.02",
        "Softmax": "where exponentials are too long or too small to be read, the largest score is taken off first",
    }
)
"""Rules of ``symattn.document.worked.entry_work``."""


# -- shape line ------------------------------------------------------------------------------------------

SHAPE_LINE: Mapping[str, str] = MappingProxyType(
    {
        "Broadcast": "the formula above has its number, and the result its rows",
        "Row": "the formula above has its number",
        "Rows": "a range has no room for shapes under the matrix",
        "Transpose": "a block of columns has no room for shapes under the matrix",
    }
)
"""Rules of ``symattn.document.shape_line.shapes``."""


OVERRIDES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ball": BALL,
        "rational": RATIONAL,
        "exact": EXACT,
        "hand": HAND,
        "alike": ALIKE,
        "interval": INTERVAL,
        "logarithm": LOGARITHM,
        "cost": COST,
        "products": PRODUCTS,
        "closed form": CLOSED_FORM,
        "domain": DOMAIN,
        "conditions": CONDITIONS,
        "double": DOUBLE,
        "notation": NOTATION,
        "entry": ENTRY,
        "row work": ROW_WORK,
        "entry work": ENTRY_WORK,
        "shape line": SHAPE_LINE,
    }
)
"""All of them, by stage."""
