r"""The plain name of what people write otherwise: \hat{x} is x_hat, Q' is Q_prime, σ² is sigma_sq, W^Q is W_Q.

>>> [defined_name(text) for text in (r"\hat{x}_1", "Q'", "σ²", "W^Q", r"\text{head}_{1}", "α_{12}", "h^{(1)}", "W_Q")]
['x_hat_1', 'Q_prime', 'sigma_sq', 'W_Q', 'head_1', 'alpha_12', 'h_1', 'W_Q']
"""

from __future__ import annotations

from symattn import limits
from symattn.errors import FormulaError
from symattn.formula.cursor import Cursor
from symattn.formula.tokens import FormulaText

_TURNED = frozenset(("T", "⊤", "⊺"))


def defined_name(text: str) -> str:
    """The name that a text before ``=`` gives; a text that gives none is answered as it is.

    >>> defined_name("QK^T"), defined_name("f(x)")
    ('QK^T', 'f(x)')
    """
    if (text.isidentifier() and text.isascii()) or len(text) > limits.NUMBER_LENGTH:
        return text
    try:
        pieces = _pieces(Cursor(FormulaText(text, "name")))
    except FormulaError:
        return text
    return "_".join(pieces) if pieces else text


def _pieces(cursor: Cursor) -> list[str]:
    """The letter or word and what stands at it; nothing where something else does."""
    if cursor.token.kind not in ("word", "letter"):
        return []
    found = [cursor.advance().text]
    while not _is_end(cursor):
        if cursor.at("'"):
            cursor.advance()
            found.append("prime")
            continue
        if not cursor.at("_", "^"):
            return []
        is_above = cursor.advance().text == "^"
        script = _script(cursor)
        if not script or (is_above and script in _TURNED):
            return []
        found.append("sq" if is_above and script == "2" else script)
    return found


def _is_end(cursor: Cursor) -> bool:
    return cursor.token.kind == "end"


def _script(cursor: Cursor) -> str:
    """What stands below or above: one piece, or several in braces, numbers of layers in parentheses too."""
    if not cursor.at("{"):
        return cursor.advance().text if cursor.token.kind in ("word", "letter", "number") else ""
    cursor.advance()
    found: list[str] = []
    while not cursor.at("}"):
        if cursor.token.kind in ("word", "letter", "number"):
            found.append(cursor.token.text)
        elif not cursor.at("(", ")", ","):
            return ""
        cursor.advance()
    cursor.advance()
    return "_".join(found)
