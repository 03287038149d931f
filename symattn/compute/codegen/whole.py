"""Write a helper function in whole arrays: a value per row is a column, a value per column is a row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from symattn.compute.codegen.code import Binding, Code
from symattn.compute.codegen.writing import Fragment, NotWholeError, Writing
from symattn.operations.equations.parts import ONE
from symattn.operations.equations.tree import (
    Apply,
    Branch,
    Constant,
    Entry,
    Index,
    NamedEquation,
    Over,
    Piece,
    Tree,
    walk,
)
from symattn.operations.equations.whole import free

IndexPair = tuple[str | None, str | None]
"""The indices of rows and of columns."""

BOTH = frozenset({0, 1})

_NOT_EVERYWHERE = frozenset({"log", "sqrt", "acos", "div", "pow", "xlogx", "log1p"})
"""Functions that a choice must not compute where it does not select them."""


@dataclass
class WholeArrays(Writing):
    """Writes every equation as one expression of arrays."""

    stored: dict[str, tuple[frozenset[int], int, bool]] = field(default_factory=dict)
    """The axes of a named array, for one with a single index the axis along which it extends, and whether it is a plain
    number."""
    places: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Indices that occur in arithmetic: their axis, and the array of them."""

    def body(self) -> tuple[list[str], str]:
        """Return the assignments and the result.

        Raises :class:`NotWholeError` where an equation goes from entry to entry.
        """
        for parameter in self.operation.parameters:
            if parameter.is_matrix:
                matrix = parameter.kind == "matrix"
                self.stored[parameter.name] = (BOTH, 0, False) if matrix else (frozenset({1}), 1, False)
        lines = []
        for equation in self.operation.equations[:-1]:
            frame = self._frame(equation)
            found = self.part(equation.body, frame)
            self.stored[equation.name] = (found.axes, 1 if frame[0] is None else 0, found.plain)
            lines.append(self.spelling.assigned(self.names.of("entry", equation.name), found.text))
        result = self._result()
        indices = [
            self.spelling.assigned(self.names.of("index", letter), text) for letter, (_, text) in self.places.items()
        ]
        return [*self.bound_sizes(), *indices, *lines], result

    def _frame(self, equation: NamedEquation) -> IndexPair:
        if len(equation.index) == 2:
            return equation.index[0], equation.index[1]
        if not equation.index:
            return None, None
        (letter,) = equation.index
        if equation is self.operation.result:
            return (None, letter) if self.operation.shape[0] == ONE else (letter, None)
        votes = [
            len(p.places) - 1 == 0 or k == 1
            for p in walk(equation.body)
            if isinstance(p, Entry)
            for k, place in enumerate(p.places)
            if place == Index(letter) and (len(p.places) == 2 or self.stored[p.name][1] == 1)
        ]
        return (None, letter) if votes and sum(votes) * 2 > len(votes) else (letter, None)

    def _result(self) -> str:
        rows, columns = self.operation.shape
        found = self.part(self.operation.result.body, self._frame(self.operation.result))
        wanted = frozenset(axis for axis, size in enumerate((rows, columns)) if size != ONE)
        spelling = self.spelling
        if found.plain or not wanted <= found.axes:
            template = spelling.filled if found.plain else spelling.full
            byrow = ", byrow = TRUE" if found.axes == {1} else ""
            return template.format(found.text, m=self.length(rows), n=self.length(columns), byrow=byrow)
        if spelling.vectors and found.axes != BOTH:
            return f"matrix({found.text}, nrow = 1)" if found.axes == {1} else f"matrix({found.text})"
        return found.text

    def part(self, piece: Tree, frame: IndexPair) -> Fragment:
        """Return a piece for all rows and columns at once. Raises :class:`NotWholeError` where that is impossible."""
        leaf = self.leaf(piece)
        if leaf is not None:
            return leaf
        match piece:
            case Index(name):
                return self._index(name, frame)
            case Entry(name, places):
                return self._entry(name, places, frame)
            case Apply(function, arguments):
                return self._called(function, [self.part(each, frame) for each in arguments], frame)
            case Over():
                return self._over(piece, frame)
            case Branch():
                return self._cases(piece, frame)
        raise NotWholeError

    def _index(self, name: str, frame: IndexPair) -> Fragment:
        axis = frame.index(name)
        spelling = self.spelling
        if spelling.vectors and frame != self._frame(self.operation.result):
            raise NotWholeError
        axes = BOTH if spelling.vectors and None not in frame else frozenset({axis})
        shown = frame if spelling.vectors else (frame[0] if axis == 0 else None, frame[1] if axis == 1 else None)
        lengths = [self.reach(letter) if letter else "1" for letter in shown]
        text = spelling.indices[axis].format(m=lengths[0], n=lengths[1])
        if spelling.vectors and None in frame:
            text = f"seq_len({lengths[axis]})"
        if self.places.setdefault(name, (axis, text)) != (axis, text):
            raise NotWholeError
        return Fragment(Code(self.names.of("index", name)), axes, plain=False)

    def _entry(self, name: str, places: tuple[Tree, ...], frame: IndexPair) -> Fragment:
        axes, along, plain = self.stored[name]
        code, letters = Code(self.names.of("entry", name)), []
        for place in places:
            if not isinstance(place, Index) or place.name not in frame:
                raise NotWholeError
            letters.append(frame.index(place.name))
        if len(set(letters)) < len(letters):
            raise NotWholeError
        turned = letters == [1, 0] or (len(letters) == 1 and letters[0] != along)
        if not turned or not axes:
            return Fragment(code, axes, plain)
        axes = frozenset(1 - axis for axis in axes)
        if self.spelling.vectors and len(letters) == 1:
            given = any(name == each.name for each in self.operation.parameters)
            return Fragment(Code(f"c({code.text})") if given else code, axes, plain=False)
        return Fragment(Code(self.spelling.transposed.format(x=code.text)), axes, plain=False)

    def _called(self, function: str, parts: list[Fragment], frame: IndexPair) -> Fragment:
        union = frozenset[int]().union(*(p.axes for p in parts))
        if not self.spelling.vectors or union != BOTH:
            return self.applied(function, parts)
        if all(p.axes != BOTH for p in parts):
            if len(parts) != 2 or function in ("max", "min"):
                raise NotWholeError
            column, row = parts
            if column.axes == {1}:
                raise NotWholeError
            sign = self.sign(function, plain=False)
            return Fragment(Code(f'outer({column.text}, c({row.text}), "{sign}")'), BOTH, plain=False)
        if all(p.axes != {1} for p in parts):
            return self.applied(function, parts)
        assert frame[0] is not None
        rows = self.reach(frame[0])
        repeated = [
            replace(p, code=Code(f"rep({p.text}, each = {rows})"), axes=BOTH) if p.axes == {1} else p for p in parts
        ]
        return self.applied(function, repeated)

    # -- sums ----------------------------------------------------------------------------------------------------

    def _over(self, piece: Over, frame: IndexPair) -> Fragment:
        around = free(piece)
        if len(around) == 2:
            return self._product(piece, frame)
        frames: list[IndexPair] = []
        for axis in (1, 0):
            letter = frame[1 - axis]
            if around <= {letter}:
                keep = letter if around else None
                frames.append((keep, piece.index) if axis else (piece.index, keep))
        found: list[Fragment] = []
        for each in frames:
            try:
                found.append(self._along(piece, each))
            except NotWholeError:
                continue
        if not found:
            raise NotWholeError
        return min(found, key=lambda part: len(part.text))

    def _along(self, piece: Over, frame: IndexPair) -> Fragment:
        axis, body = frame.index(piece.index), self.part(piece.body, frame)
        if axis not in body.axes or body.plain:
            raise NotWholeError
        alone = self.spelling.vectors and body.axes != BOTH
        template = f"{piece.kind}({{0}})" if alone else self.spelling.over[piece.kind][axis]
        rest = body.axes - {axis}
        return Fragment(Code(template.format(body.text, x=body.atom)), rest, plain=alone and not rest)

    def _product(self, piece: Over, frame: IndexPair) -> Fragment:
        """Write Σ_k a_ik b_kj as a product of matrices."""
        row, column = frame
        if piece.kind != "sum" or row is None or column is None:
            raise NotWholeError
        match piece.body:
            case Apply("mul", (left, right)):
                if column in free(left) and row in free(right):
                    left, right = right, left
                if column in free(left) or row in free(right):
                    raise NotWholeError
                one, other = self.part(left, (row, piece.index)), self.part(right, (piece.index, column))
                if one.axes == BOTH == other.axes:
                    code = Code(f"{one.atom}{self.spelling.product}{other.atom}", Binding.PRODUCT)
                    return Fragment(code, BOTH, plain=False)
        raise NotWholeError

    # -- cases ---------------------------------------------------------------------------------------------------

    def _cases(self, piece: Branch, frame: IndexPair) -> Fragment:
        condition = self.condition(piece.condition, lambda each: self.part(each, frame))
        then, otherwise = _everywhere(piece.then), _everywhere(piece.otherwise)
        parts = [self.part(each, frame) for each in (then, otherwise)]
        axes = condition.axes.union(*(p.axes for p in parts))
        spelling = self.spelling
        if condition.plain:
            if any(p.axes != axes for p in parts):
                raise NotWholeError
            text = spelling.case.format(condition.text, *(p.text for p in parts))
            return Fragment(Code(text), axes, all(p.plain for p in parts))
        if spelling.vectors and (condition.axes != axes or any(p.axes == {1} != axes for p in parts)):
            raise NotWholeError
        if not spelling.vectors:
            parts = [self._with_point(p, each) for p, each in zip(parts, (then, otherwise), strict=True)]
        # PyTorch takes two plain numbers for single precision, Julia a whole one and another for no kind of number.
        single = all(p.plain for p in parts) and not spelling.dots
        texts = [
            spelling.tensor.format(p.text) if p.plain and (single or (spelling.dots and "." not in p.text)) else p.text
            for p in parts
        ]
        return Fragment(Code(spelling.choice.format(condition.text, *texts)), axes, plain=False)

    def _with_point(self, part: Fragment, piece: Tree) -> Fragment:
        """Write a whole number as one of double precision."""
        whole = isinstance(piece, Constant) and piece.value.denominator == 1 and part.text.isdigit()
        return replace(part, code=Code(f"{part.text}.0")) if whole else part


def _everywhere(branch: Tree) -> Tree:
    """Return a branch that may be computed where it is not selected."""
    if any(_is_not_everywhere(each) for each in walk(branch)):
        raise NotWholeError
    return branch


def _is_not_everywhere(piece: Piece) -> bool:
    if not isinstance(piece, Apply) or piece.function not in _NOT_EVERYWHERE:
        return False
    if piece.function == "div":
        return bool(free(piece.arguments[1]))
    if piece.function == "pow":
        power = piece.arguments[1]
        return not (isinstance(power, Constant) and power.value.denominator == 1 and power.value >= 0)
    return bool(free(piece))
