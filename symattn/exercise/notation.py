"""How a name is written, back as the text of a file."""

from __future__ import annotations

from symattn.scenario.notation import (
    Notation,
    NotDecorated,
    NotDot,
    NotName,
    NotProduct,
    NotRow,
    NotSum,
    NotTranspose,
)


def written(tree: Notation) -> str:
    """The text that is read to a notation.

    >>> from symattn.scenario.notation import parse_notation
    >>> [written(parse_notation(text)) for text in ("Q @ (K + tilde(V)).T", "row(A, 2)", "dot(x, (K @ y).T)")]
    ['Q @ (K + tilde(V)).T', 'row(A, 2)', 'dot(x, (K @ y).T)']
    """
    match tree:
        case NotName(text):
            return text
        case NotDecorated(kind, x):
            return f"{kind}({written(x)})"
        case NotProduct(factors):
            return " @ ".join(f"({written(x)})" if isinstance(x, NotSum | NotProduct) else written(x) for x in factors)
        case NotSum(terms):
            return " + ".join(f"({written(x)})" if isinstance(x, NotSum) else written(x) for x in terms)
        case NotTranspose(x):
            return f"({written(x)}).T" if isinstance(x, NotSum | NotProduct) else f"{written(x)}.T"
        case NotRow(x, index):
            return f"row({written(x)}, {index})"
        case NotDot(left, right):
            return f"dot({written(left)}, {written(right)})"
