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
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "CausalMask": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Distance": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Identity": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "OneHot": "not derived yet",
        "OneMatrix": "not derived yet",
        "PaddingMask": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Rotary": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
        "WindowMask": "not derived yet",
        "ZeroMatrix": "not derived yet",
    }
)
"""Rules of ``symattn.values.ball.of_operands``."""


# -- rational --------------------------------------------------------------------------------------------

RATIONAL: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "CausalMask": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Distance": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Identity": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "OneHot": "not derived yet",
        "OneMatrix": "not derived yet",
        "PaddingMask": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Rotary": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
        "WindowMask": "not derived yet",
        "ZeroMatrix": "not derived yet",
    }
)
"""Rules of ``symattn.values.rational.of_node``."""


# -- exact -----------------------------------------------------------------------------------------------

EXACT: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "CausalMask": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Distance": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Identity": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "OneHot": "not derived yet",
        "OneMatrix": "not derived yet",
        "PaddingMask": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Rotary": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
        "WindowMask": "not derived yet",
        "ZeroMatrix": "not derived yet",
    }
)
"""Rules of ``symattn.values.exact.exact``."""


# -- hand ------------------------------------------------------------------------------------------------

HAND: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "ClipNorm": "not derived yet",
        "Cosine": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "LayerNorm": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "Rotary": "not derived yet",
        "RowNorm": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.values.hand.by_hand``."""


# -- alike -----------------------------------------------------------------------------------------------

ALIKE: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.values.alike.alike``."""


# -- interval --------------------------------------------------------------------------------------------

INTERVAL: Mapping[str, str] = MappingProxyType(
    {
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "CausalMask": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Dot": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Identity": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "OneHot": "not derived yet",
        "OneMatrix": "not derived yet",
        "PaddingMask": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "ReLU": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
        "WindowMask": "not derived yet",
        "ZeroMatrix": "not derived yet",
    }
)
"""Rules of ``symattn.values.interval.interval``."""


# -- logarithm -------------------------------------------------------------------------------------------

LOGARITHM: Mapping[str, str] = MappingProxyType(
    {
        "Broadcast": "not derived yet",
        "CausalMask": "not derived yet",
        "Concat": "not derived yet",
        "Dot": "not derived yet",
        "Head": "not derived yet",
        "PaddingMask": "not derived yet",
        "Quotient": "not derived yet",
        "Row": "not derived yet",
        "Rows": "not derived yet",
        "Stack": "not derived yet",
        "Transpose": "not derived yet",
        "WindowMask": "not derived yet",
    }
)
"""Rules of ``symattn.values.logarithm.logs``."""


# -- cost ------------------------------------------------------------------------------------------------

COST: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Cosine": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Log": "not derived yet",
        "Rotary": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "Tanh": "not derived yet",
    }
)
"""Rules of ``symattn.values.cost.cost``."""


# -- products --------------------------------------------------------------------------------------------

PRODUCTS: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Cosine": "not derived yet",
        "Dot": "not derived yet",
    }
)
"""Rules of ``symattn.values.cost.products``."""


# -- closed form -----------------------------------------------------------------------------------------

CLOSED_FORM: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "ClipNorm": "not derived yet",
        "Cosine": "not derived yet",
        "Dot": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "Proportions": "not derived yet",
        "RMSNorm": "not derived yet",
        "Rotary": "not derived yet",
        "RowNorm": "not derived yet",
        "SiLU": "not derived yet",
        "Softmax": "not derived yet",
        "Tanh": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.values.closed_form.closed_form_size``."""


# -- domain ----------------------------------------------------------------------------------------------

DOMAIN: Mapping[str, str] = MappingProxyType(
    {
        "Angle": "not derived yet",
        "Cosine": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "OneHot": "not derived yet",
        "Proportions": "not derived yet",
        "RMSNorm": "not derived yet",
        "Softmax": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.solution.domain.check``."""


# -- conditions ------------------------------------------------------------------------------------------

CONDITIONS: Mapping[str, str] = MappingProxyType(
    {
        "Angle": "not derived yet",
        "Cosine": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "Proportions": "not derived yet",
        "RMSNorm": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.solution.symbolic.conditions``."""


# -- double ----------------------------------------------------------------------------------------------

DOUBLE: Mapping[str, str] = MappingProxyType(
    {
        "Angle": "programs go by an arctangent, which keeps the digits that the arccosine loses near 0 and 180",
        "GELU": "R goes by the normal distribution itself, without the digits that 1 + erf loses",
        "LayerNorm": "PyTorch multiplies before it subtracts, and then the difference has been rounded",
        "Softmax": "a row of -oo may have weights of 0, and the largest score minus itself is exactly 0",
    }
)
"""Rules of ``symattn.listing.double.in_double``."""


# -- notation --------------------------------------------------------------------------------------------

NOTATION: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "CausalMask": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Distance": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Identity": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "OneHot": "not derived yet",
        "OneMatrix": "not derived yet",
        "PaddingMask": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Rotary": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
        "WindowMask": "not derived yet",
        "ZeroMatrix": "not derived yet",
    }
)
"""Rules of ``symattn.document.notation.formula``."""


# -- entry -----------------------------------------------------------------------------------------------

ENTRY: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "CausalMask": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Distance": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Identity": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "OneHot": "not derived yet",
        "OneMatrix": "not derived yet",
        "PaddingMask": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Rotary": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
        "WindowMask": "not derived yet",
        "ZeroMatrix": "not derived yet",
    }
)
"""Rules of ``symattn.document.entries.entry``."""


# -- cases -----------------------------------------------------------------------------------------------

CASES: Mapping[str, str] = MappingProxyType(
    {
        "CausalMask": "not derived yet",
        "Concat": "not derived yet",
        "ELU": "not derived yet",
        "Keep": "not derived yet",
        "OneHot": "not derived yet",
        "PaddingMask": "not derived yet",
        "Stack": "not derived yet",
        "WindowMask": "not derived yet",
    }
)
"""Rules of ``symattn.document.general_entry.cases``."""


# -- row work --------------------------------------------------------------------------------------------

ROW_WORK: Mapping[str, str] = MappingProxyType(
    {
        "ClipNorm": "not derived yet",
        "LayerNorm": "not derived yet",
        "Proportions": "not derived yet",
        "RMSNorm": "not derived yet",
        "Rotary": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.document.row_working.row_work``."""


# -- entry work ------------------------------------------------------------------------------------------

ENTRY_WORK: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Distance": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Rotary": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Sinusoidal": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.document.working.entry_work``."""


# -- shape line ------------------------------------------------------------------------------------------

SHAPE_LINE: Mapping[str, str] = MappingProxyType(
    {
        "AdditiveScores": "not derived yet",
        "Angle": "not derived yet",
        "Broadcast": "not derived yet",
        "ClipNorm": "not derived yet",
        "Concat": "not derived yet",
        "Cosine": "not derived yet",
        "Dot": "not derived yet",
        "ELU": "not derived yet",
        "Entropy": "not derived yet",
        "EntryQuotient": "not derived yet",
        "Exp": "not derived yet",
        "GELU": "not derived yet",
        "GELUTanh": "not derived yet",
        "Hadamard": "not derived yet",
        "Head": "not derived yet",
        "Keep": "not derived yet",
        "LayerNorm": "not derived yet",
        "Log": "not derived yet",
        "OneHot": "not derived yet",
        "Proportions": "not derived yet",
        "Quotient": "not derived yet",
        "RMSNorm": "not derived yet",
        "ReLU": "not derived yet",
        "Rotary": "not derived yet",
        "Row": "not derived yet",
        "RowMax": "not derived yet",
        "RowNorm": "not derived yet",
        "Rows": "not derived yet",
        "SiLU": "not derived yet",
        "Softmax": "not derived yet",
        "Stack": "not derived yet",
        "Tanh": "not derived yet",
        "Transpose": "not derived yet",
        "UnitRows": "not derived yet",
    }
)
"""Rules of ``symattn.document.shape_line.shape_line``."""


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
        "cases": CASES,
        "row work": ROW_WORK,
        "entry work": ENTRY_WORK,
        "shape line": SHAPE_LINE,
    }
)
"""All of them, by stage."""
