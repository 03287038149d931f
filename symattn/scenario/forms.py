"""What single values look like, for the JSON schema: an editor sees a slip, the reader sees more."""

from __future__ import annotations

from typing import Any

NUMBER = r"^\s*[0-9A-Za-z_.()+*/^-][0-9A-Za-z_. ()+*/^-]*$"
"""An exact number: digits, fractions, roots, powers, logarithms, ``-oo``."""

PRINTED = r"^\s*[+\u2212-]?([0-9.\u221e]|oo|[Ii][Nn][Ff])[0-9.*^+oeEIiNnFf\u00d7\u00b7\u2212\u221e -]*$"
"""A figure as a source prints it, or two with a space between them."""

NAME = r"^[A-Za-z][A-Za-z0-9_]{0,39}$"
"""What can name a matrix, a size or a quantity."""

WORDS: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "zh-Hant": {"type": "string", "description": "The words in Traditional Chinese."},
                "zh-Hans": {"type": "string", "description": "The words in Simplified Chinese."},
                "en": {"type": "string", "description": "The words in English."},
            },
            "additionalProperties": False,
            "minProperties": 1,
        },
    ]
}
"""One text, or one for each language."""
