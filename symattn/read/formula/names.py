r"""The words of a formula: names as typed, names as they are written on paper, entries, functions.

``W^Q`` is the name W_Q if that is defined, ``s_{12}`` an entry of s, ``QK`` the product of Q and K unless QK is a
name.

>>> from symattn.base.shapes import shape
>>> names = Vocabulary(Scope({"Q": shape(3, 4), "K": shape(3, 4), "W_Q": shape(4, 4)}, {"d_k": 4}))
>>> names.spelled("W", False, ["Q"]), names.spelled("d", False, ["k"]), names.splits("QK")
(['W_Q'], ['d_k'], [('Q', 'K')])
>>> names.entries("q", "12"), names.function("LayerNorm")
([('Q', (1, 2))], 'layer_norm')

Names written otherwise have a plain form: \hat{x} is x_hat, Q' is Q_prime, σ² is sigma_sq, W^Q is W_Q.

>>> [defined_name(text) for text in (r"\hat{x}_1", "Q'", "σ²", "W^Q", r"\text{head}_{1}", "α_{12}", "h^{(2)}", "W_Q")]
['x_hat_1', 'Q_prime', 'sigma_sq', 'W_Q', 'head_1', 'alpha_12', 'h_2', 'W_Q']
>>> [defined_name(text) for text in ("FFN(x)", r"\text{Attn}(\hat{x}, 1)", r"\frac{\partial L}{\partial W_Q}")]
['FFN_x', 'Attn_x_hat_1', 'dL_dW_Q']
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import permutations
from typing import TypeAlias

from symattn.base import limits
from symattn.base.errors import FormulaError
from symattn.base.shapes import Axis, Shape
from symattn.read.formula.cursor import Cursor
from symattn.read.formula.functions import TABLE, Scope, derived
from symattn.read.formula.tokens import FormulaText
from symattn.read.formula.tree import FromOne
from symattn.read.formula.wrong import NUMBERS

LONGEST = 40
"""The longest name, in characters."""

_ALSO = {"epsilon": ("eps",), "lambda": ("lam", "lamb", "lmbda", "lambda_"), "sigma^2": ("var", "variance")}
"""Other spellings of letters."""

_CALLED = {"LN": "layer_norm", "swish": "silu", "Swish": "silu", "sigma": "sigmoid"}
"""Other names of functions."""

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
ENTRYWISE = frozenset(
    "exp log sqrt abs sin cos tan tanh sinh cosh sigmoid relu elu gelu silu floor ceil radians degrees square".split()
)
"""Functions of single entries, whatever they are applied to."""

_OF_ALL = frozenset("sum mean max min var std".split())

_Way: TypeAlias = "tuple[_Way, str] | None"
"""The pieces at the beginning of a word: the earlier ones, and the last."""


class Vocabulary:
    """The meanings of words in one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def known(self, name: str) -> bool:
        """Return whether something has that name."""
        scope = self.scope
        kinds = (scope.names, scope.batches, scope.sizes, scope.quantities, scope.symbols)
        return any(name in kind for kind in kinds)

    def shape(self, name: str) -> Shape | None:
        """Return the shape of the matrix with that name; numbers have none."""
        batch = self.scope.batches.get(name)
        shape = batch.parts[0].shape if batch else self.scope.names.get(name)
        return None if shape is None or shape.sizes == (1, 1) else shape

    def may_be_exponent(self, name: str) -> bool:
        """Return whether a name means a number, so that it may be an exponent."""
        return self.known(name) and self.shape(name) is None

    def function(self, word: str) -> str | None:
        """Return the function that a word calls: by our name, or as other libraries spell it, LayerNorm and ReLU."""
        if word in self.scope.operations or word in TABLE or derived(word, self.scope.operations):
            return word
        if word in _CALLED:
            return _CALLED[word]
        if word.islower():
            return None
        if word == "LN":  # as pages write it
            return "layer_norm"
        spellings = (word.lower(), _CAPITAL.sub("_", word).lower())
        return next((name for name in spellings if name in self.scope.operations or name in TABLE), None)

    def spelled(self, word: str, is_letter: bool, scripts: Sequence[str]) -> list[str]:
        """Return the names that a word with its subscripts and superscripts may mean."""
        words = [word, *(_ALSO.get(word, ()) if is_letter else ())]
        if is_letter and "_" in word:  # an accent
            letter, _, accent = word.partition("_")
            words += [letter + accent, f"{accent}_{letter}", accent + letter]
        for script in scripts:
            if not re.fullmatch(r"\w+(,\w+)*", script, re.ASCII) or len(script) > LONGEST:
                return []
        found: dict[str, None] = {}
        for order in permutations([script.replace(",", "_") for script in scripts]):
            ends = [""]
            for script in order:
                ends = [end + line + script for end in ends for line in ("_", "")]
            found |= dict.fromkeys(name for base in words for end in ends if self.known(name := base + end))
        return list(found)

    def squared(self, word: str, is_letter: bool, scripts: Sequence[str]) -> list[str]:
        """Return the names that a square may mean, such as the variance σ²."""
        if not is_letter:
            return []
        below = f"_{scripts[0]}" if scripts else ""
        ends = ("2", "_2", "_sq", "_squared")
        names = [f"{word}{below}{end}" for end in ends] + [f"{word}{end}{below}" for end in ends]
        names += [f"{name}{below}" for name in _ALSO.get(f"{word}^2", ())]
        return [name for name in dict.fromkeys(names) if self.known(name)]

    # -- entries ---------------------------------------------------------------------------------------------------

    def entries(self, word: str, below: str, with_rows: bool = True) -> list[tuple[str, tuple[int, ...]]]:
        """Return the entries that ``s_{12}`` may mean, counted from 1; those out of range only if there is no other."""
        if not re.fullmatch(r"\d+(,\d+)?", below, re.ASCII) or len(below) > 12:
            return []
        is_vector = self.axis(word) is not None
        found = [(word, place) for place in self.places(word, below) if with_rows or is_vector or len(place) == 2]
        if len(word) == 1 and word.islower():
            found += [(word.upper(), place) for place in self.places(word.upper(), below) if len(place) == 2]
        inside = [entry for entry in found if self.is_inside(*entry)]
        return inside or found[:1]

    def places(self, name: str, below: str) -> list[tuple[int, ...]]:
        """Return the places that digits in a subscript may mean: a row and a column, or one of both."""
        shape = self.shape(name)
        if shape is None or name in self.scope.batches:
            return []
        if "," in below or len(below) == 1:
            return [tuple(map(int, below.split(",")))]
        cuts = ((below[:i], below[i:]) for i in range(1, len(below)))
        pairs = [(int(row), int(column)) for row, column in cuts if row[0] != "0" != column[0]]
        if shape.ndim == 1:
            return [(int(below),)]
        return [*pairs, (int(below),)] if 1 in shape.sizes else list(pairs)

    def is_inside(self, name: str, place: tuple[int, ...]) -> bool:
        """Return whether the matrix may have such an entry, or such a row."""
        rows, columns = self.scope.names[name].sizes
        sizes = (columns if rows == 1 else rows,) if len(place) == 1 else (rows, columns)
        return all(isinstance(size, str) or 1 <= number <= size for number, size in zip(place, sizes, strict=True))

    def axis(self, name: str) -> Axis | None:
        """Return the axis of a vector, for an index."""
        shape = self.scope.names.get(name)
        if shape is None or 1 not in shape.sizes:
            return None
        return shape.columns if shape.rows.size == 1 else shape.rows

    # -- words without gaps ------------------------------------------------------------------------------------------

    def splits(self, word: str, behind: str = "") -> list[tuple[str, ...]]:
        """Return the ways to split a word into known names, two at most.

        The following text decides what else the last piece may be: a function before parentheses, e before a power.

        The search goes from left to right, so that the cost of a long word is proportional to its length.
        """
        if word in NUMBERS:
            return []
        ways: list[list[_Way]] = [[None]]
        for end in range(1, len(word) + 1):
            here: list[_Way] = []
            for start in range(max(0, end - LONGEST), end):
                piece = word[start:end]
                if len(here) == 2 or not ways[start] or piece == word:
                    continue
                if self.known(piece) or (end == len(word) and self.is_before(piece, behind)):
                    here += [(way, piece) for way in ways[start]]
            ways.append(here[:2])
        return [_pieces(way) for way in ways[-1]]

    def is_before(self, piece: str, behind: str) -> bool:
        """Return whether a word is more than a name, because of the sign behind it."""
        if behind == "(":
            return self.function(piece) == piece
        is_power = behind in ("^", "**") and piece == "e"
        return is_power or (behind == "^" and any(name.startswith(f"{piece}_") for name in self.scope.names))

    # -- numbers -----------------------------------------------------------------------------------------------------

    def is_number(self, node: ast.expr) -> bool:
        """Return whether a node is certainly a number; if it may be a matrix, it is not."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return self.shape(name) is None and (self.known(name) or name in NUMBERS)
            case ast.UnaryOp(operand=operand):
                return self.is_number(operand)
            case FromOne(value=ast.Name(id=name), slice=place):
                return isinstance(place, ast.Tuple) or self.axis(name) is not None
            case ast.Subscript(slice=ast.Tuple(elts=[one, other])):
                return self.is_number(one) and self.is_number(other)
            case ast.BinOp(left=left, right=right):
                return self.is_number(left) and self.is_number(right)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return name in (_OF_ALL if len(arguments) == 1 else ()) or (
                    name in ENTRYWISE and all(map(self.is_number, arguments))
                )
        return False


def _pieces(way: _Way) -> tuple[str, ...]:
    pieces: list[str] = []
    while way is not None:
        way, piece = way
        pieces.append(piece)
    return tuple(reversed(pieces))


_TURNED = frozenset(("T", "⊤", "⊺"))


def defined_name(text: str) -> str:
    """Return the name that a text before ``=`` defines; a text that defines none is returned unchanged.

    >>> defined_name("QK^T"), defined_name("f(2x)")
    ('QK^T', 'f(2x)')
    """
    if (text.isidentifier() and text.isascii()) or len(text) > limits.NUMBER_LENGTH:
        return text
    try:
        cursor = Cursor(FormulaText(text, "name"))
        pieces = _name_pieces(cursor)
        if pieces and cursor.at("("):
            pieces += _argument_pieces(cursor)
    except FormulaError:
        return text
    return "_".join(pieces) if pieces and cursor.token.kind == "end" else text


def _argument_pieces(cursor: Cursor) -> list[str]:
    """Return the pieces in parentheses behind a name, ``FFN(x)``: names and whole numbers, separated by commas."""
    found: list[str] = []
    while cursor.at(",") if found else cursor.at("("):
        cursor.advance()
        pieces = [cursor.advance().text] if cursor.token.kind == "number" else _name_pieces(cursor)
        if not pieces:
            return []
        found += pieces
    if cursor.at(")"):
        cursor.advance()
    return found


def _name_pieces(cursor: Cursor) -> list[str]:
    """Return the letter or word with its scripts and primes; nothing if there is none."""
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
    """Return a subscript or superscript: one piece, or several in braces, with numbers of layers in parentheses."""
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
