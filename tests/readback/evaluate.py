"""What a formula that was read is worth, with values for its names: in mpmath, by none of the project's own code.

A letter that is neither a name nor bound by a sum, a definition or the left side is an error: it stands for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, pairwise

from mpmath import inf, mp, mpf

from tests.readback.balls import Ball, Table, largest, length, near, smallest, total
from tests.readback.tex import ONE, Elided, Node

Value = Ball | Table
Builtin = Callable[["Scope", tuple[Value, ...]], Value]


LONGEST = 1000
"""A maximum over more than this has no end that a reader could know."""

KRONECKER = (r"\delta", r"\mathbf{\delta}")
"""δ_ij; in bold beside a name δ."""

SMALL_STEP = mpf(10) ** -20
"""How far an entry is moved for a difference, whose square is far below the digits that are compared."""

LARGE = 7
"""Powers of ten from here on may be figures that are rounded."""


DEFINED = ("GELU", r"GELU_\mathrm{tanh}", "SiLU", "ELU")
"""Functions of a number that are not everybody's: a page that has one says what it is."""


class Unbound(Exception):
    """A letter or a word that stands for nothing."""


class Unknown(Exception):
    """What a function needs is not on the page, as the number of rows that ``broadcast`` writes."""


@dataclass(frozen=True)
class Definition:
    """What a page says of a word: of μ_i, of Φ(x), of θ_t; μ_{2,i} has a figure in its first place."""

    places: tuple[Node, ...]
    body: Node

    def bound(self, given: tuple[Value, ...]) -> dict[str, Value] | None:
        """The letters with what stands in their places, or nothing where a figure is another."""
        bound: dict[str, Value] = {}
        for place, value in zip(self.places, given, strict=True):
            if place.kind == "letter":
                bound[place.text] = value
            elif not (isinstance(value, Ball) and near(value.middle, mpf(place.text))):
                return None
        return bound


@dataclass(frozen=True)
class Scope:
    """Names with their values, what was defined, which letters are bound to which number, and functions of matrices."""

    names: Mapping[str, Value]
    functions: Mapping[str, Builtin] = field(default_factory=dict)
    definitions: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    bound: Mapping[str, Value] = field(default_factory=dict)
    labels: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Which row of a name a label names."""
    rounded: bool = False
    """Whether a figure with a point stands for everything that is rounded to it."""
    significant: int = 6
    """How many digits a power of ten stands for: zeros at their end are not printed."""
    turned: bool = False
    """Whether a column stands for the row that it is when it is turned: where something is made of every column."""
    row: str = "i"
    """The letter of rows: what is made of column i is row i, and what is made of column j is column j."""
    moved: Callable[[str, int, int, mpf], Mapping[str, Value]] | None = None
    """What names are worth when one entry of a name is moved, by its name, its row and column and by how much."""
    kind: str = ""
    """What kind of line it is: a formula or a statement need not say what GELU is, an entry has to."""

    def binding(self, **letters: Value) -> Scope:
        return replace(self, bound={**self.bound, **letters})

    # -- the value of a piece ----------------------------------------------------------------------------------------

    def value(self, node: Node) -> Value:
        rule = getattr(self, f"_{node.kind}", None)
        if rule is None:
            raise Unknown(f"no value for {node.kind}")
        result: Value = rule(node)
        return result

    def number(self, node: Node) -> Ball:
        """The value of what has to be a number; a matrix of one entry is one."""
        found = self.value(node)
        if isinstance(found, Table):
            if found.shape != (1, 1):
                raise Unbound(f"a matrix stands for a number: {_said(node)}")
            return found.rows[0][0]
        return found

    def whole(self, node: Node) -> int:
        found = self.number(node)
        if found.radius or found.middle != int(found.middle):
            raise Unbound(f"{_said(node)} is no whole number")
        return int(found.middle)

    def _number(self, node: Node) -> Ball:
        may_be_rounded = self.rounded and ("." in node.text or "e" in node.text)
        return Ball(mpf(node.text), half_a_digit(node.text, self.significant) if may_be_rounded else mpf(0))

    def _constant(self, node: Node) -> Ball:
        return Ball({"e": mp.e, r"\pi": mp.pi, r"\infty": inf}[node.text] + mpf(0))

    def _name(self, node: Node) -> Value:
        return self.names[node.text]

    _rows = _name

    def _letter(self, node: Node) -> Value:
        if node.text in self.bound:
            return self.bound[node.text]
        if node.text in self.functions:
            return self.functions[node.text](self, ())
        if f"size {node.text}" in self.names:
            return self.names[f"size {node.text}"]
        return self._defined(node.text, ())

    def _defined(self, word: str, given: tuple[Value, ...]) -> Value:
        for found in self.definitions.get(f"{word}/{len(given)}", ()):
            bound = found.bound(given)
            if bound is not None:
                inside = replace(self, bound=bound, rounded=False)
                try:
                    return inside.value(found.body)
                except Unbound:
                    if given or self.kind != "statement":
                        raise
                    # In a proof what has no places of its own may speak of the indices of its line, as an angle does.
                    return replace(inside, bound=self.bound).value(found.body)
        raise Unbound(f"{word} with {len(given)} places is bound nowhere")

    def _group(self, node: Node) -> Value:
        return self.value(node.parts[0])

    def _dots(self, node: Node) -> Value:
        raise Elided

    def _all(self, node: Node) -> Value:
        raise Unknown("a whole row or column")

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def _sum(self, node: Node) -> Value:
        whole: Value | None = None
        for sign, part in zip(node.text, node.parts, strict=True):
            term = self.value(part)
            term = term if sign == "+" else term.each(Ball.__neg__) if isinstance(term, Table) else -term
            whole = term if whole is None else _added(whole, term)
        assert whole is not None
        return whole

    def _product(self, node: Node) -> Value:
        left, right = map(self.value, node.parts)
        if node.text in (r"\odot", r"\oslash"):
            left, right = as_table(left), as_table(right)
            return left.with_(right, Ball.__mul__ if node.text == r"\odot" else Ball.__truediv__)
        if isinstance(left, Table) and isinstance(right, Table):
            if node.text == r"\cdot" and (1, 1) in (left.shape, right.shape):
                return left.with_(right, Ball.__mul__)
            in_one = left.shape[0] == right.shape[0] == 1 and left.shape[1] == right.shape[1]
            return left @ right.turned if node.text == r"\cdot" and in_one else left @ right
        if isinstance(left, Table):
            left, right = right, left
        if isinstance(right, Table):
            assert isinstance(left, Ball)
            factor = left
            return right.each(lambda entry: factor * entry)
        assert isinstance(left, Ball)
        if left == Ball(mpf(0)) and node.parts[1] == Node("applied", (node.parts[0],), "ln"):
            return left  # as the page says of 0 ln 0
        return left * right

    def _quotient(self, node: Node) -> Value:
        top, bottom = map(self.value, node.parts)
        if isinstance(bottom, Ball) and isinstance(top, Ball):
            return top / bottom
        above, below = as_table(top), as_table(bottom)
        if above.shape == below.shape != (1, 1):
            raise Unbound(f"two matrices of one shape stand in a fraction: {_said(node)}")
        return above.with_(below, Ball.__truediv__)

    _fraction = _quotient

    def _slope(self, node: Node) -> Ball:
        """∂y/∂x of two entries, by a difference: of what stands above when what stands below is moved both ways."""
        of, by = node.parts
        name, places = (by.parts[0], list(by.parts[1:])) if by.kind == "at" else (by, [])
        if self.moved is None or name.kind != "name":
            raise Unbound(f"a derivative by what has no value: {_said(node)}")
        table = as_table(self.names[name.text])
        row, column = self._place(table, places, by) if places else (1, 1)
        if not (1 <= row <= table.shape[0] and 1 <= column <= table.shape[1]):
            raise IndexError(f"no entry {row}, {column} of {name.text}")
        ends = [
            replace(self, names={**self.names, **self.moved(name.text, row, column, step)}).number(of).middle
            for step in (SMALL_STEP, -SMALL_STEP)
        ]
        return Ball((ends[0] - ends[1]) / (2 * SMALL_STEP))

    def _remainder(self, node: Node) -> Ball:
        number, divisor = map(self.whole, node.parts)
        return Ball(mpf(number % divisor))

    def _root(self, node: Node) -> Value:
        inner = self.value(node.parts[0])
        return inner.each(Ball.root) if isinstance(inner, Table) else inner.root()

    def _each_power(self, node: Node) -> Table:
        """X^{⊙2}, of a square matrix: of any other X² is that."""
        below, exponent = as_table(self.value(node.parts[0])), self.number(node.parts[1])
        if below.shape[0] != below.shape[1] or below.shape == (1, 1):
            raise Unbound(f"⊙ in the exponent of a matrix of {below.shape}")
        return below.each(lambda entry: entry.power(exponent))

    def _power(self, node: Node) -> Value:
        base, exponent = node.parts
        if base == Node("number", (), "10") and exponent.kind == "number" and int(exponent.text) >= LARGE:
            return self._number(Node("number", (), f"1e{exponent.text}"))
        if base == Node("constant", (), "e"):
            return self.number(exponent).through(mp.exp)
        if base.kind in ("letter", "at"):
            word, places = _word_of(base)
            key = f"{word}^{exponent.text}/{len(places)}"
            if key in self.definitions:
                return self._defined(f"{word}^{exponent.text}", tuple(map(self.value, places)))
        below = self.value(base)
        if isinstance(below, Table) and below.shape != (1, 1):
            if below.shape[0] != below.shape[1]:
                return below.each(lambda entry: entry.power(self.number(exponent)))
            result = below
            for _ in range(self.whole(exponent) - 1):
                result = result @ below
            return result
        return self.number(base).power(self.number(exponent))

    def _transposed(self, node: Node) -> Value:
        inner = self.value(node.parts[0])
        return inner.turned if isinstance(inner, Table) else inner

    def _bars(self, node: Node) -> Value:
        inner = self.value(node.parts[0])
        if node.text == r"\rVert":
            entries = [x for row in inner.rows for x in row] if isinstance(inner, Table) else [inner]
            return length(entries)
        rule = (lambda x: x.through(mp.floor)) if node.text == r"\rfloor" else Ball.magnitude
        return inner.each(rule) if isinstance(inner, Table) else rule(inner)

    def _sigma(self, node: Node) -> Ball:
        index, low, high, body = node.parts
        self._must_be_free(index)
        steps = range(self.whole(low), self.whole(high) + 1)
        return total(self.binding(**{index.text: Ball(mpf(k))}).number(body) for k in steps)

    def _over(self, node: Node) -> Ball:
        """max_k, min_k, argmax_k and argmin_k, over all k that there are."""
        index, body, *most = node.parts
        self._must_be_free(index)
        if index not in body.walk():
            return self.number(body) if node.text in ("max", "min") else Ball(mpf(1))
        found: list[Ball] = []
        for k in range(1, self.whole(most[0]) + 1) if most else count(1):
            try:
                found.append(self.binding(**{index.text: Ball(mpf(k))}).number(body))
            except IndexError:
                break
            if k > LONGEST:
                raise Unbound(f"{node.text} over {index.text}, which has no end")
        if not found:
            raise Unbound(f"{node.text} over nothing")
        return NUMBERS[node.text](found)

    def _must_be_free(self, index: Node) -> None:
        if index.text in self.bound:
            raise Unbound(f"{index.text} is bound twice")

    def _applied(self, node: Node) -> Ball:
        if node.text not in NUMBERS:
            raise Unknown(node.text)
        return NUMBERS[node.text]([self.number(node.parts[0])])

    def _call(self, node: Node) -> Value:
        given = tuple(self._below_one(part) if node.text == "min" else self.value(part) for part in node.parts)
        if self._is_defined(node) and all(as_table(value).shape == (1, 1) for value in given):
            return self._defined(f"{node.text}()", tuple(as_table(value).rows[0][0] for value in given))
        of_matrices = any(isinstance(value, Table) for value in given) and node.text in self.functions
        if node.text in WAVES and len(given) == 1 and isinstance(given[0], Table):
            return given[0].each(lambda x: NUMBERS[node.text]([x]))
        if node.text in NUMBERS and not of_matrices:
            return NUMBERS[node.text]([as_table(value)[1, 1] for value in given])
        if node.text not in self.functions:
            raise Unbound(f"{node.text}(…) is bound nowhere")
        if (
            not (self.kind in ("formula", "statement") or any(isinstance(value, Table) for value in given))
            and node.text in DEFINED
        ):
            raise Unbound(f"{node.text}(…) of a number is bound nowhere")
        return self.functions[node.text](self, given)

    def _below_one(self, part: Node) -> Value:
        """A share c/‖G‖ beside 1: where the length is 0, it is no smaller."""
        try:
            return self.value(part)
        except ZeroDivisionError:
            if not (part.kind in ("fraction", "quotient") and part.parts[1].kind == "bars"):
                raise
            return Ball(inf)

    def _is_defined(self, node: Node) -> bool:
        return f"{node.text}()/{len(node.parts)}" in self.definitions

    # -- matrices and entries ----------------------------------------------------------------------------------------

    def _bmatrix(self, node: Node) -> Table:
        rows = [[self.value(cell) for cell in row.parts] for row in node.parts]
        if len(rows) == 1 and any(isinstance(block, Table) for block in rows[0]):
            blocks = [as_table(block) for block in rows[0]]
            return Table.of([x for block in blocks for x in block.rows[i]] for i in range(blocks[0].shape[0]))
        if all(len(row) == 1 for row in rows) and any(isinstance(row[0], Table) for row in rows):
            blocks = (row[0] if isinstance(row[0], Table) else Table(((row[0],),)) for row in rows)
            return Table.of(line for block in blocks for line in block.rows)
        return Table.of([self.number(cell) for cell in row.parts] for row in node.parts)

    def _at(self, node: Node) -> Value:
        base, *places = node.parts
        if base == ONE and len(places) == 1 and places[0].kind != "sizes":
            return self._ones(places[0])
        if places[0].kind == "where":
            return self.value(base)
        if base.kind == "group" and {place.text for place in split(places, 2)} <= _row_letters(base):
            return self._family(base.parts[0], [place.text for place in split(places, 2)])
        one = split(places, 2)
        if base.kind == "group" and len(one) == 1 and one[0].kind == "letter":
            letter = one[0].text
            if one == split(list(base.parts[0].parts[1:]), 2):
                found = self._family(base.parts[0], [letter])  # (c_i)_i, the sums of rows of one entry each
                return found if letter == self.row else found.turned
            if _of_columns(base, letter):
                found = replace(self, turned=True)._family(base.parts[0], [letter])
                return found if letter == self.row else found.turned
        word, _ = _word_of(base)
        word = "I" if word == r"\mathbf{I}" else word  # beside a matrix I
        sized = f"{word}_{self._sub(places)}"
        if word and sized in self.functions:
            return self.functions[sized](self, ())
        known = base.kind != "letter" or word in self.functions or word in self.bound
        if not known:
            _, given = _word_of(node)
            if word in KRONECKER and len(given) == 2 and f"{word}/2" not in self.definitions:
                one, other = map(self.whole, given)
                return Ball(mpf(int(one == other)))
            apart = [part for place in places for part in (place.parts or (place,))]
            # u_{12} has two places where the page has said u_{ij}, and is number 12 where it has said u_i.
            two = f"{word}/{len(given)}" not in self.definitions and f"{word}/{len(apart)}" in self.definitions
            return self._defined(word, tuple(map(self.value, apart if two else given)))
        table = as_table(self.value(base))
        if base.kind == "rows" and places[0].kind != "label":
            (place,) = split(places, 1)
            number = self.whole(place)
            if not 1 <= number <= table.shape[0]:
                raise IndexError(f"no row {number}")
            return Table((table.rows[number - 1],))
        if places[0].kind == "label":
            if (base.text, places[0].text) not in self.labels:
                raise Unbound(f"{places[0].text} is no row of {base.text}")
            return Table((table.rows[self.labels[base.text, places[0].text] - 1],))
        if any(place.kind in ("all", "range") for place in places):
            return self._rows_of(table, places)
        return table[self._place(table, places, node)]

    def _ones(self, below: Node) -> Table:
        """1_n, a column of ones; 1_{M = 0}, ones where M is 0."""
        if below.kind == "seen":
            one = Ball(mpf(1))
            return as_table(self.value(below.parts[0])).each(lambda x: one if x.middle == 0 else one - one)
        (size,) = split([below], 1)
        return Table(((Ball(mpf(1)),),) * self.whole(size))

    def _holding(self, node: Node) -> Ball:
        return Ball(mpf(int(self.holds(node.parts[0]))))

    def _family(self, body: Node, letters: list[str]) -> Table:
        """(‖X_{i,·}‖)_i: what stands there for every i, under each other; (|i − j|)_{ij} also for every j."""
        if body.kind == "bars" and body.text == r"\rvert":
            return as_table(self.functions["distance"](self, ()))  # no matrix says how far i and j go
        rows: list[tuple[Ball, ...]] = []
        for number in range(1, LONGEST):
            here = replace(self, bound={**self.bound, letters[0]: Ball(mpf(number))})
            try:
                found = here._family(body, letters[1:]).turned if len(letters) > 1 else as_table(here.value(body))
            except IndexError:
                if not rows:
                    raise
                return Table(tuple(rows))
            rows += found.rows
        raise Unbound("a row without end")

    def _sub(self, places: list[Node]) -> str:
        """A subscript that belongs to a word: I_3, PE_50, a matrix of ones with its sizes."""
        if len(places) == 1 and places[0].kind == "sizes":
            return r"\times".join(str(self.whole(part)) for part in places[0].parts)
        if len(places) == 1 and places[0].kind in ("sum", "product"):
            return str(self.whole(places[0]))
        parts = [part for place in places for part in (place.parts or (place,))]
        if len(parts) == 1 and f"size {parts[0].text}" in self.names:
            return str(self.whole(parts[0]))
        return "".join(part.text for part in parts) if all(part.text.isdigit() for part in parts) else "?"

    def _place(self, table: Table, places: list[Node], node: Node) -> tuple[int, int]:
        found = [self.whole(place) for place in split(places, 1 if 1 in table.shape else 2)]
        if 1 in table.shape and len(found) == 1:
            return (1, found[0]) if table.shape[0] == 1 else (found[0], 1)
        if len(found) != 2 or table.shape == (1, 1):
            raise Unbound(f"{len(found)} indices for a matrix of {table.shape}: {_said(node)}")
        return found[0], found[1]

    def _rows_of(self, table: Table, places: list[Node]) -> Table:
        first, second = places
        if first.kind == "all":
            found = Table.of(self._cut(table.turned, second).rows)
            return found if self.turned and second.kind == "letter" else found.turned
        return self._cut(table, first)

    def _cut(self, table: Table, place: Node) -> Table:
        low, high = map(self.whole, place.parts if place.kind == "range" else (place, place))
        if not 1 <= low <= high <= len(table.rows):
            raise IndexError(f"no rows {low} to {high} of {len(table.rows)}")
        return Table(table.rows[low - 1 : high])

    def _shaped(self, node: Node) -> Value:
        inner, *sizes = node.parts
        found = self.value(inner)
        shape = tuple(self.whole(size) for size in sizes)
        if isinstance(found, Table) and found.shape != shape:
            raise Unbound(f"the shape {shape} stands beside a matrix of {found.shape}")
        return found

    def _cases(self, node: Node) -> Value:
        fitting = [branch.parts[0] for branch in node.parts if self.holds(branch.parts[1])]
        if len(fitting) != 1:
            raise Unbound(f"{len(fitting)} cases hold: {_said(node)}")
        return self.value(fitting[0])

    def holds(self, chain: Node) -> bool:
        """Whether a condition holds."""
        if chain.kind in ("either", "both"):
            return (any if chain.kind == "either" else all)(map(self.holds, chain.parts))
        sides = [self.number(side) for side in chain.parts]
        return all(compare(a, sign, b) for sign, (a, b) in zip(chain.text.split(), pairwise(sides), strict=True))


def _of_columns(node: Node, letter: str) -> bool:
    """Whether a piece speaks of every column by that letter: X_{·,j}, or the entries of one that are added up."""
    if node.kind == "at":
        places = split(list(node.parts[1:]), 2)
        is_second = len(places) == 2 and places[1].text == letter
        if is_second and (places[0].kind == "all" or places[0].kind == "letter"):
            return True
    return any(_of_columns(part, letter) for part in node.parts)


def _row_letters(node: Node) -> set[str]:
    """The letters of rows, X_{i,·}, and of |i − j|, that a piece speaks of and does not bind itself."""
    if node.kind == "sigma":
        ats = (part for part in node.walk() if part.kind == "at")
        firsts = (places[0] for part in ats if len(places := split(list(part.parts[1:]), 2)) == 2)
        return {place.text for place in firsts if place.kind == "letter"} - {node.parts[0].text}
    found = {letter for part in node.parts for letter in _row_letters(part)}
    if node.kind == "at":
        base, *places = node.parts
        if any(place.kind == "all" for place in places):
            return found | {place.text for place in places[:1] if place.kind == "letter"}
        return found - {place.text for place in split(places, 2)} if base.kind == "group" else found
    if node.kind == "bars" and node.parts[0].kind == "sum":
        return found | {part.text for part in node.parts[0].parts if part.kind == "letter"}
    return found


def as_table(value: Value) -> Table:
    """A value as a matrix: a number is one of one entry."""
    return value if isinstance(value, Table) else Table(((value,),))


def half_a_digit(text: str, significant: int = 6) -> mpf:
    """Half a unit of the last digit of a figure; of 1.5·10^9 the zeros behind the 5 are not printed.

    >>> half_a_digit("0.25") == mpf("0.005"), half_a_digit("7") == mpf("0.5"), half_a_digit("1.5e9") == mpf("5000")
    (True, True, True)
    """
    mantissa, power, exponent = text.partition("e")
    places = max(significant, 2) - 1 if power else len(mantissa.partition(".")[2])
    return mpf(10) ** (int(exponent or 0) - places) / 2


def compare(a: Ball, sign: str, b: Ball) -> bool:
    """Whether a relation between two numbers holds."""
    same = near(a.middle, b.middle)
    less = not same and bool(a.middle < b.middle)
    return {"=": same, "≠": not same, "<": less, "≤": less or same, ">": not (less or same), "≥": not less}[sign]


def split(places: list[Node], wanted: int) -> list[Node]:
    """The indices that stand below a letter: ij are two; 12 is one below a row and two below a matrix."""
    if len(places) != 1 or places[0].kind != "indices":
        return places
    parts = places[0].parts
    if len(parts) == wanted or len(parts) == 1:
        return list(parts)
    if wanted == 1 and all(part.kind == "number" for part in parts):
        return [Node("number", (), "".join(part.text for part in parts))]
    if wanted == 1 and len(parts) == 2 and parts[0].kind == "number":
        return [Node("product", parts)]
    return list(parts)


def _added(a: Value, b: Value) -> Value:
    if isinstance(a, Table) and isinstance(b, Table):
        return a.with_(b, Ball.__add__)
    if isinstance(a, Table) or isinstance(b, Table):
        return as_table(a).with_(as_table(b), Ball.__add__)
    return a + b


def _word_of(node: Node) -> tuple[str, list[Node]]:
    """The word of μ_i and its places."""
    if node.kind == "at":
        word, before = _word_of(node.parts[0])
        return word, [*before, *split(list(node.parts[1:]), 1)]
    return (node.text if node.kind == "letter" else ""), []


def _place_of_largest(found: list[Ball]) -> Ball:
    middles = [ball.middle for ball in found]
    return Ball(mpf(1 + middles.index(max(middles))))


def _said(node: Node) -> str:
    return f"{node.kind} {[inner.text for inner in node.walk() if inner.text]}"


WAVES = ("sin", "cos", "tan")
"""Functions of numbers that are taken of every entry; a cosine of two rows is another."""

NUMBERS: Mapping[str, Callable[[list[Ball]], Ball]] = {
    "ln": lambda given: given[0].logarithm(),
    "tanh": lambda given: given[0].through(mp.tanh),
    "erf": lambda given: given[0].through(mp.erf),
    "sin": lambda given: given[0].wave(mp.sin),
    "cos": lambda given: given[0].wave(mp.cos),
    "tan": lambda given: given[0].wave(mp.sin) / given[0].wave(mp.cos),
    "exp": lambda given: given[0].through(mp.exp),
    "arccos": lambda given: given[0].through(lambda x: mp.acos(min(max(x, mpf(-1)), mpf(1)))),
    "max": largest,
    "min": smallest,
    "argmax": _place_of_largest,
    "argmin": lambda given: _place_of_largest([-ball for ball in given]),
}
"""Functions of numbers that need no definition."""
