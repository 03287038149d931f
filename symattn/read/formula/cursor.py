"""The position of the parser in a text, and the errors when it cannot continue."""

from __future__ import annotations

import ast
from typing import TypeVar

from symattn.base import limits
from symattn.base.errors import FormulaError
from symattn.read.formula import wrong
from symattn.read.formula.tokens import FormulaText, Token, cut_up

_E = TypeVar("_E", bound=ast.expr)

_CLOSES = {"(": ")", "[": "]", "{": "}", "\\[": "\\]", "⌊": "⌋", "⌈": "⌉", "⟨": "⟩", "\\begin": "\\end"}
_FENCES = frozenset("| ‖ ||".split())
_BETWEEN = frozenset("+ - * / @ ^ ** · × ⊙ ∘ ⊘ ÷ .".split())


def _pieces(source: FormulaText) -> list[Token]:
    text = source.text
    if text.isascii() and "\\" not in text and "{" not in text and "$" not in text:
        return cut_up(source, text)
    from symattn.read.formula.latex import in_plain_signs  # most formulas need none of it

    return in_plain_signs(source)


class Cursor:
    """A position in the tokens of a text, the open parentheses there, and the depth of the tree."""

    def __init__(self, source: FormulaText) -> None:
        self.source = source
        self.tokens = _pieces(source)
        self.at_place = 0
        self.token = self.tokens[0]
        self.open: list[Token] = []
        self.depth = -1
        self.heights: dict[int, int] = {}

    # -- moving ------------------------------------------------------------------------------------------------------

    def advance(self) -> Token:
        """Return the current token and move to the next one."""
        token = self.token
        if token.kind != "end":
            self.at_place += 1
            self.token = self.tokens[self.at_place]
        return token

    def skip(self, count: int) -> None:
        """Skip several tokens."""
        for _ in range(count):
            self.advance()

    def back_to(self, place: int) -> None:
        """Move back to the token of that number."""
        self.at_place, self.token = place, self.tokens[place]

    def at(self, *signs: str) -> bool:
        """Return whether the current token is one of these signs."""
        return self.token.kind == "sign" and self.token.text in signs

    def ahead(self, count: int = 1) -> Token:
        """Return a later token."""
        return self.tokens[min(self.at_place + count, len(self.tokens) - 1)]

    def instead_of_here(self, *tokens: Token, count: int = 1) -> None:
        """Replace the current tokens by others."""
        self.tokens[self.at_place : self.at_place + count] = tokens
        self.token = self.tokens[self.at_place]

    @property
    def end(self) -> int:
        """The end of the previous token."""
        return self.tokens[self.at_place - 1].end if self.at_place else 0

    def typed(self, start: int, end: int | None = None) -> str:
        """Return the source text from a place up to the current position."""
        return self.source.text[start : self.end if end is None else end]

    # -- parentheses ---------------------------------------------------------------------------------------------------

    def opening(self) -> Token:
        """Move past an opening sign, and remember it."""
        self.open.append(self.token)
        return self.advance()

    def closing(self) -> None:
        """Move past the sign that closes the last open one.

        Raises :class:`~symattn.base.errors.FormulaError` for any other token.
        """
        opened = self.open[-1].text
        if self.at("||") and opened == "|":
            half = self.token._replace(text="|", end=self.token.start + 1)
            self.instead_of_here(half, half._replace(start=half.end, end=self.token.end))
        if not (self.at(_CLOSES.get(opened, opened)) or (opened in ("||", "‖") and self.at("||", "‖"))):
            raise self.unexpected()
        self.open.pop()
        self.advance()

    @property
    def is_closing_fence(self) -> bool:
        """Whether the current token is a bar that closes an open one."""
        return bool(self.open) and self.at(*_FENCES) and self.open[-1].text in _FENCES

    def script(self) -> str:
        """Move past a subscript or superscript and return it without spaces: ``12``, ``1,2``, ``model``.

        Raises :class:`~symattn.base.errors.FormulaError` if there is none.
        """
        self.advance()
        if not self.at("{"):
            if self.token.kind not in ("number", "word", "letter"):
                raise self.missing()
            return self.advance().text
        self.opening()
        if self.at("}"):
            raise self.missing()
        parts = []
        while self.token.kind != "end" and not self.at("}", "{"):
            parts.append(self.advance().text)
        self.closing()
        return "".join(parts)

    # -- the tree ------------------------------------------------------------------------------------------------------

    def inside(self) -> None:
        """Go one level deeper, so that deep nesting ends in an error before Python's own stack overflows."""
        self.depth += 1
        self.must_be_within(self.depth)

    def must_be_within(self, depth: int) -> None:
        """Raise :class:`~symattn.base.errors.FormulaError` for too deep a nesting."""
        if depth > limits.FORMULA_DEPTH:
            raise self.source.error(f"nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}")

    def made(self, node: _E, start: int) -> _E:
        """Return a node of the tree that ends here, with its place in the text."""
        node.lineno = node.end_lineno = 1
        node.col_offset = start
        node.end_col_offset = self.end
        inner = (part.value if isinstance(part, ast.keyword) else part for part in ast.iter_child_nodes(node))
        height = 1 + max((self.heights[id(part)] for part in inner if isinstance(part, ast.expr)), default=-1)
        self.must_be_within(height)
        self.heights[id(node)] = height
        return node

    # -- errors ------------------------------------------------------------------------------------------------------

    def refused(self, why: str, start: int) -> FormulaError:
        """Return the error for the text from a place up to here, with that place."""
        return self.source.unreadable(f"{self.typed(start)} at character {start + 1}: {why}")

    def missing(self) -> FormulaError:
        """Return the error for a missing name or number."""
        now, before = self.token, self.tokens[self.at_place - 1] if self.at_place else None
        here = self.typed(now.start, now.end)
        if now.kind == "end":
            return self.never_closed() or self.source.unreadable(
                f"it ends with {self.source.text[before.start : before.end]}, and what comes after is missing"
                if before
                else wrong.ALLOWED
            )
        if now.kind == "word" and wrong.is_python_word(now.text):
            return self.source.unreadable(f"{now.text} is a word of Python and cannot be a name")
        if now.text == "," or (before and before.text == ","):
            return self.source.unreadable("beside a comma something is missing")
        if before is None and now.text in _BETWEEN:
            return self.source.unreadable(f"it starts with {here}, and what comes before is missing")
        if now.text in _CLOSES.values() and self.open and before is self.open[-1]:
            return self.source.unreadable(f"{before.text} at character {before.start + 1} encloses nothing")
        if before and (
            (before.text in _BETWEEN and (now.text in _BETWEEN or now.text in _CLOSES.values()))
            or (before.text in _CLOSES and now.text in _BETWEEN)
        ):
            other = self.source.text[before.start : before.end]
            return self.source.unreadable(f"{other} and {here} stand side by side: something between them is missing")
        return self.unexpected()

    def never_closed(self) -> FormulaError | None:
        """Return the error for parentheses that are open at the end of the text."""
        if not self.open:
            return None
        last = self.open[-1]
        mark = self.source.text[last.start : last.end]
        return self.source.unreadable(f"{mark} at character {last.start + 1} is never closed")

    def unexpected(self) -> FormulaError:
        """Return the error for a token in the wrong place."""
        now = self.token
        if now.kind == "end":
            return self.never_closed() or self.source.unreadable(wrong.ALLOWED)
        here = self.typed(now.start, now.end)
        where = f"{here} at character {now.start + 1}"
        if now.kind == "word" and wrong.is_python_word(now.text):
            return self.source.unreadable(f"{now.text} is a word of Python and cannot be a name")
        if now.kind != "sign":
            return self.beside()
        if now.text in _CLOSES.values():
            if not self.open:
                return self.source.unreadable(f"{where} closes what was never opened")
            last = self.open[-1]
            opened = self.source.text[last.start : last.end]
            return self.source.unreadable(f"{opened} at character {last.start + 1} is closed by {where}")
        return self.source.no_place(here, now.start)

    def beside(self) -> FormulaError:
        """Return the error for a number behind something else."""
        before, now = self.tokens[self.at_place - 1], self.token
        left, right = self.source.text[before.start : before.end], self.typed(now.start, now.end)
        return self.source.unreadable(f"{left} and {right} stand side by side: write {wrong.TIMES}")
