"""From pieces of text to statements: chains of expressions, each figure of which knows its place."""

from symattn.checking.reading.reader import read
from symattn.checking.reading.shown import shown

__all__ = ["read", "shown"]
