"""How large a thing from outside may be. Each limit has a name, and its error says it."""

FILE_BYTES = 2_000_000
"""A scenario file."""

FORMULA_LENGTH = 2_000
"""Characters of one formula."""

FORMULA_DEPTH = 60
"""Nesting of one formula."""

NUMBER_LENGTH = 400
"""Characters of one number."""

POWER_DIGITS = 3_000
"""Decimal digits that a power written in a number may have."""

RADICAND_DIGITS = 40
"""Decimal digits of a number under a root (its square factors are looked for)."""

MATRIX_ENTRIES = 1_000_000
"""Entries of one matrix."""

SCENARIO_STEPS = 500
"""Steps, givens and other items of one scenario."""

FIGURE_DIGITS = 9_999
"""Decimal digits before the point of a figure."""

DIGITS = 50
"""Decimals that can be asked for."""
