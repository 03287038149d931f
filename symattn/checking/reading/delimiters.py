"""What opens, closes and separates, in LaTeX, Unicode and plain text: what kind of sign each is."""

from __future__ import annotations

from typing import Final

OPEN: Final = {"(": "(", "[": "[", "{": "{", "（": "(", "［": "[", "【": "[", "⟨": "⟨", "⌊": "⌊"}
CLOSE: Final = {")": "(", "]": "[", "}": "{", "）": "(", "］": "[", "】": "[", "⟩": "⟨", "⌋": "⌊"}
STOPS: Final = {**dict.fromkeys(",，、､", "comma"), **dict.fromkeys(";；", "semicolon"), "。": "stop"}
STOPS_MORE: Final = {**dict.fromkeys(".!?！？．", "stop"), **dict.fromkeys(":：", "colon")}


def _all(kind: str, pairs: str) -> dict[str, tuple[str, str]]:
    signs = pairs.split()
    return {command: (kind, sign) for command, sign in zip(signs[::2], signs[1::2], strict=True)}


DELIMITERS: Final = {
    **_all("open", r"\{ { \lbrace { \lbrack [ \langle ⟨ \lfloor ⌊"),
    **_all("close", r"\} { \rbrace { \rbrack [ \rangle ⟨ \rfloor ⌊"),
    **_all("bar", r"\| ‖ \Vert ‖ \lVert ‖ \rVert ‖ \parallel ‖ \vert | \lvert | \rvert | \mid |"),
    **_all("other", r"\( ( \) ) \% %"),
    **_all("name", r"\top ⊤ \intercal ⊤"),
    **_all("sum", r"\sum ∑ \prod ∏"),
    **_all("frac", r"\frac frac \dfrac frac \tfrac frac \cfrac frac"),
    **_all("over", r"\overset overset \underset underset"),
    **_all("figure", r"\infty ∞"),
    **_all("prime", r"\prime '"),
    **_all("root", r"\sqrt √"),
    **_all("op", r"\over /"),
    **_all("colon", r"\colon :"),
    **_all("arrow", r"\xrightarrow →"),
    r"\hfill": ("break", ""),
}
SINGLE: Final = {"√": "root", "∑": "sum", "Σ": "sum", "∏": "sum", "∞": "figure", "′": "prime", "″": "prime", "ᵀ": "T"}
