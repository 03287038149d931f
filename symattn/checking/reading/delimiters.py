"""What opens, closes and separates, in LaTeX, Unicode and plain text: what kind of sign each is."""

from __future__ import annotations

from typing import Final

OPEN: Final = {"(": "(", "[": "[", "{": "{", "（": "(", "［": "[", "【": "[", "⟨": "⟨", "⌊": "⌊"}
CLOSE: Final = {")": "(", "]": "[", "}": "{", "）": "(", "］": "[", "】": "[", "⟩": "⟨", "⌋": "⌊"}
STOPS: Final = {
    ",": "comma",
    "，": "comma",
    "、": "comma",
    "､": "comma",
    ";": "semicolon",
    "；": "semicolon",
    "。": "stop",
}
STOPS_MORE: Final = {
    ".": "stop",
    "!": "stop",
    "?": "stop",
    "！": "stop",
    "？": "stop",
    ":": "colon",
    "：": "colon",
    "．": "stop",
}
DELIMITERS: Final = {
    r"\{": ("open", "{"),
    r"\lbrace": ("open", "{"),
    r"\lbrack": ("open", "["),
    r"\langle": ("open", "⟨"),
    r"\lfloor": ("open", "⌊"),
    r"\}": ("close", "{"),
    r"\rbrace": ("close", "{"),
    r"\rbrack": ("close", "["),
    r"\rangle": ("close", "⟨"),
    r"\rfloor": ("close", "⌊"),
    r"\(": ("other", "("),
    r"\)": ("other", ")"),
    **dict.fromkeys((r"\|", r"\Vert", r"\lVert", r"\rVert", r"\parallel"), ("bar", "‖")),
    **dict.fromkeys((r"\vert", r"\lvert", r"\rvert", r"\mid"), ("bar", "|")),
    r"\infty": ("figure", "∞"),
    r"\prime": ("prime", "'"),
    r"\top": ("name", "⊤"),
    r"\intercal": ("name", "⊤"),
    r"\sum": ("sum", "∑"),
    r"\prod": ("sum", "∏"),
    r"\sqrt": ("root", "√"),
    r"\frac": ("frac", "frac"),
    r"\dfrac": ("frac", "frac"),
    r"\tfrac": ("frac", "frac"),
    r"\cfrac": ("frac", "frac"),
    r"\over": ("op", "/"),
    r"\%": ("other", "%"),
    r"\colon": ("colon", ":"),
    r"\overset": ("over", "overset"),
    r"\underset": ("over", "underset"),
    r"\xrightarrow": ("arrow", "→"),
    r"\hfill": ("break", ""),
}
SINGLE: Final = {"√": "root", "∑": "sum", "Σ": "sum", "∏": "sum", "∞": "figure", "′": "prime", "″": "prime", "ᵀ": "T"}
