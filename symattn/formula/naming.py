r"""The plain name of what people write otherwise: \hat{x} is x_hat, Q' is Q_prime, σ² is sigma_sq, W^Q is W_Q.

>>> [defined_name(text) for text in (r"\hat{x}_1", "Q'", "σ²", "W^Q", r"\text{head}_{1}", "α_{12}", "h^{(2)}", "W_Q")]
['x_hat_1', 'Q_prime', 'sigma_sq', 'W_Q', 'head_1', 'alpha_12', 'h_2', 'W_Q']
>>> [defined_name(text) for text in ("FFN(x)", r"\text{Attn}(\hat{x}, 1)", r"\frac{\partial L}{\partial W_Q}")]
['FFN_x', 'Attn_x_hat_1', 'dL_dW_Q']
"""

from __future__ import annotations

from symattn import limits
from symattn.errors import FormulaError
from symattn.formula.cursor import Cursor
from symattn.formula.tokens import FormulaText

_TURNED = frozenset(("T", "⊤", "⊺"))


def defined_name(text: str) -> str:
    """The name that a text before ``=`` gives; a text that gives none is answered as it is.

    >>> defined_name("QK^T"), defined_name("f(2x)")
    ('QK^T', 'f(2x)')
    """
    if (text.isidentifier() and text.isascii()) or len(text) > limits.NUMBER_LENGTH:
        return text
    try:
        cursor = Cursor(FormulaText(text, "name"))
        pieces = _pieces(cursor)
        if pieces and cursor.at("("):
            pieces += _of_what(cursor)
    except FormulaError:
        return text
    return "_".join(pieces) if pieces and cursor.token.kind == "end" else text


def _of_what(cursor: Cursor) -> list[str]:
    """What stands in parentheses behind a name, ``FFN(x)``: names and whole numbers, with commas between."""
    found: list[str] = []
    while cursor.at(",") if found else cursor.at("("):
        cursor.advance()
        pieces = [cursor.advance().text] if cursor.token.kind == "number" else _pieces(cursor)
        if not pieces:
            return []
        found += pieces
    if cursor.at(")"):
        cursor.advance()
    return found


def _pieces(cursor: Cursor) -> list[str]:
    """The letter or word and what stands at it; nothing where something else does."""
    if cursor.token.kind not in ("word", "letter"):
        return []
    found = [cursor.advance().text]
    while cursor.at("'", "_", "^"):
        if cursor.at("'"):
            cursor.advance()
            found.append("prime")
            continue
        is_above = cursor.advance().text == "^"
        is_layer = cursor.at("{") and cursor.ahead().text == "("
        script = _script(cursor)
        if not script or (is_above and script in _TURNED):
            return []
        found.append("sq" if is_above and script == "2" and not is_layer else script)
    return found


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
