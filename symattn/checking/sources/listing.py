"""Whether a block of a page is a program, or what one printed."""

from __future__ import annotations

import re

PROGRAMS = frozenset({"python", "py", "python3", "ipython", "ipython3", "pycon", "py3", "numpy", "pytorch", "jupyter"})
"""What fences say of text that may be a program in Python, or what it printed."""

PRINTED = frozenset(
    {"", "text", "txt", "plain", "plaintext", "output", "out", "console", "log", "none", "result", "results", "stdout"}
)
"""What fences say of text that is no program, though some that hold one say it too."""

_STATEMENT = re.compile(
    r"^[ \t]{0,200}(?:>>>[ ]|import[ ]\w|from[ ][\w.]+[ ]import\b|(?:async[ ])?def[ ]\w+\(|class[ ]\w+.{0,200}:|return\b|assert[ ]|"
    r"(?:for[ ].{1,200}[ ]in[ ].{1,200}|while[ ].{1,200}|if[ ].{1,200}|with[ ].{1,200}|elif[ ].{1,200}|else|try):[ \t]*(?:\#|$)|"
    r"@\w|print\(|[\w.\[\], ]{1,80}=[ ]*(?:np|torch|tf|jnp|F|nn|math|plt|jax|numpy|random|mx|scipy|pd|sp)\.\w|"
    r"[\w., ]{1,80}=[^=\n]{0,200}(?:[ ]@[ ]|\.T\b|\.dot\(|\.matmul\(|\.softmax\(|\.transpose\(|\.shape\b|\.reshape\())",
    re.MULTILINE,
)
"""How a line of a program begins that nothing else looks like."""

_CALL_OR_NAME = re.compile(r"[A-Za-z_]\w*[ \t]*(?:[(@]|=(?!=)|\.[A-Za-z_])")
_PRINTED_CALL = re.compile(
    r"\b(?:tensor|array|matrix|Size|torch|Tensor|dtype|device|grad_fn|shape|np|float\d*|int\d*|numpy|requires_grad)\b"
)


def is_program(text: str, language: str) -> bool:
    """Whether the text of a block is a program: by what its fence says, and where that leaves it open, by its looks.

    >>> is_program("import torch", ""), is_program("tensor([0.2, 0.3])", "python"), is_program("x = 0.5", "python")
    (True, False, True)
    >>> is_program("A = [[0.8, 0.2]], 1e-5", "")
    False
    """
    if language in PROGRAMS:
        bare = _PRINTED_CALL.sub("", text)
        return not any(map(str.isdigit, text)) or bool(_STATEMENT.search(text) or _CALL_OR_NAME.search(bare))
    if language in PRINTED:
        return bool(_STATEMENT.search(text))
    return True
