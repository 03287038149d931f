"""Texts in tables that spreadsheets open: a name that one would run as a formula stands behind an apostrophe."""

from __future__ import annotations

_FORMULAS = tuple("=+-@＝＋－＠\t\r")
"""What a spreadsheet takes for the start of a formula."""


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> harmless('=HYPERLINK("x")'), harmless("Ada")
    ('\\'=HYPERLINK("x")', 'Ada')
    """
    return f"'{text}" if _is_formula(text) else text


def meant(text: str) -> str:
    """The text that was made harmless, or one that never had to be.

    >>> meant(harmless("=1")), meant(harmless("'=1")), meant("'Ada'"), meant("Ada")
    ('=1', "'=1", "'Ada'", 'Ada')
    """
    return text.removeprefix("'") if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    """Whether it is one, with or without apostrophes in front."""
    bare = text.lstrip("'")
    return bare.startswith(_FORMULAS) or bare.lstrip().startswith(_FORMULAS)
