"""A strict reader of the TeX of a page: what a formula says to its reader, and nothing that was only meant.

It shares no code with what writes pages. Spaces of TeX are no signs: ``1 1`` is the number 11, as on the page. What can
be read in two ways (two numbers side by side, a mixed number, a factor behind a logarithm) is an error and no guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Tokens = tuple[str, ...]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[^\s]", re.DOTALL)
_CHARACTER = re.compile(r"\\[A-Za-z]+|\\.|[^\s]", re.DOTALL)
_INVISIBLE = re.compile(r"\\left(?![A-Za-z])|\\right(?![A-Za-z])|\\quad(?:\{\})?(?![A-Za-z])")
_GAP = re.compile(r"\\ (?!\()")
_ONE = re.compile(r"(\\(?:tilde|hat|bar|mathbf|boldsymbol|mathrm|mathit)) ?(\\[A-Za-z]+|[A-Za-z0-9])(?=_)")
_OPERATOR = re.compile(r"\\mathop\{(\\(?:mathrm|mathit|text)\{[^{}\\]+\})\}\\nolimits(?=_)")
_NUMBERED = re.compile(r"\\overset\{\(\d+\)\}\{([^{}]*)\}")
RELATIONS: Mapping[str, str] = {
    "=": "=", r"\approx": "≈", r"\ne": "≠", "<": "<", ">": ">", r"\lt": "<", r"\gt": ">", r"\le": "≤", r"\ge": "≥"
}  # fmt: skip
_DOTS = (r"\cdots", r"\vdots", r"\ddots")
_APPLIED = ("ln", "tanh", "sin", "cos", "max", "min", "argmax", "argmin")
"""Words that take what follows them without parentheses."""
_GREEK = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega infty"
)
LETTERS = frozenset("\\" + letter for letter in _GREEK.split())
_MOD = (r"\thinspace", r"\mathrm", "{", *"mod", "}")
_NO_FACTOR = frozenset(r"+ - ) } ] , & / \\ \cr \cdot \times \odot \oslash \end \rvert \rVert \rfloor \rbrack".split())

SMALL = "entry of "
"""What a name begins with that is written as a small letter, which only an entry is."""


ROW = "row of "
"""What a name begins with that is written as a small bold letter, which only a row is."""


class Unreadable(Exception):
    """What stands there is no mathematics, or can be read in two ways."""


class Elided(Exception):
    """A middle is left out: what stands there has no value."""


@dataclass(frozen=True)
class Node:
    """A piece of mathematics: its kind, what it holds, and the text of a number, a letter or a word."""

    kind: str
    parts: tuple[Node, ...] = ()
    text: str = ""

    def walk(self) -> Sequence[Node]:
        """The piece and all pieces in it."""
        found = [self]
        for part in self.parts:
            found += part.walk()
        return found


ONE = Node("letter", (), r"\mathbf{1}")
"""A bold 1: with a condition below it, 1 where that holds."""


@dataclass(frozen=True)
class Statement:
    """A left side, then relations with their right sides."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]


def characters(text: str) -> Tokens:
    """The commands and characters of a text, without spaces; what only Markdown asks for is as it would be without.

    >>> characters(r"W_{\\mathrm{ab}} 1")
    ('W', '_', '{', '\\\\mathrm', '{', 'a', 'b', '}', '}', '1')
    >>> characters(r"\\lbrack XX\\rbrack_1") == characters("(XX)_1"), characters(r"\\lbrack X\\rbrack")[0]
    (True, '\\\\lbrack')
    """
    shown = _INVISIBLE.sub("", _NUMBERED.sub(r"\1", text))
    shown = _GAP.sub(r"\\thinspace ", _ONE.sub(r"\1{\2}", _OPERATOR.sub(r"\1", shown)))
    tokens = [token for token in _CHARACTER.findall(shown) if token != r"\,"]
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token == r"\lbrack":
            opened.append(place)
        elif token == r"\rbrack" and opened:
            start = opened.pop()
            if tokens[place + 1 : place + 2] == ["_"]:
                tokens[start], tokens[place] = "(", ")"
    return tuple(_derivatives(tokens))


def _derivatives(tokens: list[str]) -> list[str]:
    """A gradient is a name that begins with one token, ∂L/∂, and takes indices as the name below takes them.

    >>> _derivatives([r"\\frac", *"{", r"\\partial", *"L}{", r"\\partial", *"s_i}x"])
    ['∂L/∂', 's', '_', 'i', 'x']
    """
    out: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at : at + 1] == [r"\partial"]:  # inside a line
            stroke = tokens.index("/", at)
            of, inner, at = tokens[at + 1 : stroke], [], stroke + 2
        elif tokens[at] in (r"\frac", r"\dfrac") and tokens[at + 1 : at + 3] == ["{", r"\partial"]:
            over = _closing(tokens, at + 1)
            under = _closing(tokens, over + 1)
            of, inner, at = tokens[at + 3 : over], tokens[over + 3 : under], under + 1
        else:
            out.append(tokens[at])
            at += 1
            continue
        if _is_entry(of):
            out += [SLOPE, "{", *of, "}", "{", *inner, "}"]
            continue
        # (∂L/∂X)_Q is the part of it that comes through Q, and (∂L/∂X)_{F_1} that through F_1.
        close = at + _length(tokens[at:])
        through, end = _below(tokens, close + 1) if tokens[close : close + 2] == [")", "_"] else ([], 0)
        is_name = through[1:2] == ["_"] or (len(through) == 1 and through[0].isupper())
        if out[-1:] == ["("] and is_name:
            out[-1:] = [f"∂{''.join(of)}/∂ through {''.join(through)}", *inner, *tokens[at:close]]
            at = end
        else:
            out += [f"∂{''.join(of)}/∂", *inner]
    return out


SLOPE = r"\slope"
"""What stands for a derivative of one entry by another, which is no name: ∂y_ij/∂x_kl."""


def _is_entry(tokens: Sequence[str]) -> bool:
    """Whether something has indices: of an entry letters stand below, a loss has a word there, or a figure.

    >>> [_is_entry(tokens) for tokens in ("a_{ir}", "y_j", "L", "L_1", "L^{(1)}")]
    [True, True, False, False, False]
    """
    if "_" not in tokens:
        return False
    below, _ = _below(tokens, len(tokens) - 1 - list(reversed(tokens)).index("_"))
    return any((len(token) == 1 and token.islower()) or token in LETTERS for token in below) and r"\mathrm" not in below


def _below(tokens: Sequence[str], at: int) -> tuple[list[str], int]:
    """What stands below, from the ``_`` at a place on, and where it has ended."""
    if tokens[at + 1] != "{":
        return [tokens[at + 1]], at + 2
    close = _closing(tokens, at + 1)
    return list(tokens[at + 2 : close]), close + 1


def _length(tokens: Sequence[str]) -> int:
    """How many tokens stand before the parenthesis that closes what is around them."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth < 0:
            return place
    return len(tokens)


def _closing(tokens: Sequence[str], start: int) -> int:
    """Where the brace that opens at ``start`` closes."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[place], 0)
        if depth == 0:
            return place
    raise Unreadable(f"a brace that never closes in {' '.join(tokens)}")


def statements(display: str, names: Mapping[Tokens, str]) -> list[Statement]:
    """The statements of a display; a line that begins with a relation goes on with the statement before it."""
    body = display.replace(r"\begin{aligned}", "").replace(r"\end{aligned}", "").replace(r"\qquad", r"\\")
    lines = [line for line in _rows(characters(body)) if line]
    joined: list[list[str]] = []
    for line in lines:
        bare = [token for position, token in enumerate(line) if token != "&" or _inside(line, position)]
        begins_anew = not joined or not (bare[0] in RELATIONS or (bare[0] in ("+", "-") and line[0] == "&"))
        if begins_anew:
            joined.append(bare)
        else:
            joined[-1] += bare
    return [Reader(tuple(tokens), names).statement() for tokens in joined]


def _inside(tokens: Sequence[str], position: int) -> bool:
    """Whether a place is inside an environment."""
    return tokens[:position].count(r"\begin") > tokens[:position].count(r"\end")


def _rows(tokens: Sequence[str]) -> list[list[str]]:
    """The lines of a display: ends of lines that stand in no environment."""
    rows: list[list[str]] = [[]]
    for position, token in enumerate(tokens):
        if token in (r"\\", r"\cr") and not _inside(tokens, position):
            rows.append([])
        else:
            rows[-1].append(token)
    return rows


class Reader:
    """Reads the tokens of one statement. ``names`` are the names that may stand there, with how they are written."""

    def __init__(self, tokens: Tokens, names: Mapping[Tokens, str]) -> None:
        self.tokens, self.names, self.at = tokens, names, 0
        self.longest = max(map(len, names), default=0)

    # -- tokens ----------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.peek()
        if not token or (expected and token not in expected):
            raise self.error(f"expected {' or '.join(expected) or 'more'}")
        self.at += 1
        return token

    def skip(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def error(self, what: str) -> Unreadable:
        return Unreadable(f"{what} at {' '.join(self.tokens[self.at :])[:60]!r} in {' '.join(self.tokens)}")

    def braced(self) -> Tokens:
        """The tokens of an argument: one token, or what stands in braces."""
        if not self.skip("{"):
            return (self.take(),)
        start, depth = self.at, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
        return self.tokens[start : self.at - 1]

    def inner(self, tokens: Tokens, read: Callable[[Reader], Node] | None = None) -> Node:
        """What an argument says, read to its end."""
        reader = Reader(tokens, self.names)
        node = reader.sum() if read is None else read(reader)
        reader.end()
        return node

    def end(self) -> None:
        if self.at != len(self.tokens):
            raise self.error("cannot be read on")

    # -- statements and sums ---------------------------------------------------------------------------------------

    def statement(self) -> Statement:
        """sum relation sum …, to the end."""
        sides, relations = [self.sum()], []
        while self.peek() in RELATIONS:
            relations.append(RELATIONS[self.take()])
            sides.append(self.sum())
        self.end()
        return Statement(tuple(sides), tuple(relations))

    def sum(self) -> Node:
        signs, terms = [], []
        while not terms or self.peek() in ("+", "-"):
            # A broken line begins with the sign of the line before it or its own.
            sign = self.take() if self.peek() in ("+", "-") else "+"
            signs.append(sign)
            terms.append(self.product())
        if signs == ["+"]:
            return terms[0]
        return Node("sum", tuple(terms), "".join(signs))

    def product(self) -> Node:
        """Factors: side by side, or with a sign between them; a quotient of two with a stroke."""
        whole = self.factor()
        last, before = whole, ""
        while True:
            sign = self.peek()
            if self.tokens[self.at : self.at + len(_MOD)] == _MOD:
                self.at += len(_MOD)
                return Node("remainder", (whole, self.product()))
            if sign in (r"\cdot", r"\times", r"\odot", r"\oslash", "/"):
                self.take()
            elif not sign or sign in RELATIONS or sign in _NO_FACTOR or sign == r"\ ":
                return whole
            else:
                sign = ""
            self._may_follow(last, sign, before)
            number, (last, before) = last, (self.factor(), sign)
            if (sign, number.kind, last.kind) == ("", "number", "fraction") and _of_figures(last):
                raise self.error("two readings: a mixed number before what stands")
            whole = Node("product" if sign != "/" else "quotient", (whole, last), sign)

    def _may_follow(self, last: Node, sign: str, before: str) -> None:
        if last.kind == "applied" or (before == "/" and sign != ""):
            raise self.error("two readings: a factor behind a function without parentheses or a stroke")
        bold = last.kind in ("number", "fraction") or (last.kind == "power" and last.parts[0].kind == "number")
        figure = self.peek().isdigit() or (bold and self.peek() == r"\mathbf" and self.peek(2).isdigit())
        if before == "/" or (sign == "" and figure):
            raise self.error("two readings: a number side by side with what stands before it")

    # -- factors ---------------------------------------------------------------------------------------------------

    def factor(self) -> Node:
        node = self.scripts(self.primary())
        if self.peek() == r"\ ":
            start = self.at
            self.take()
            try:
                return self._annotated(node)
            except Unreadable:
                self.at = start + 1  # no shape in parentheses, but a factor behind a gap
        return node

    def _annotated(self, node: Node) -> Node:
        """X (3×4)"""
        self.take("(")
        for letter in "shape=" if self.peek() == "s" else "":
            self.take(letter)
        sizes = [self.factor()]
        while self.skip(r"\times"):
            sizes.append(self.factor())
        self.take(")")
        if self.peek() == "^":
            raise self.error("no shape has an exponent")
        return Node("shaped", (node, *sizes))

    def primary(self) -> Node:
        self.skip(r"\thinspace")
        named = self._raised() or self._name()
        if named is not None:
            return named
        token = self.peek()
        if token.isdigit():
            return self._number()
        if token == "{":
            return self.inner(self.braced())
        if token in _DOTS:
            self.take()
            return Node("dots")
        reader = _PRIMARY.get(token)
        if reader is not None:
            self.take()
            return reader(self)
        if token.isalpha() or token in LETTERS:
            return self._letter(self.take())
        if token.startswith("∂") and token.endswith("/∂"):  # of a number that is no loss: ∂C/∂x_j
            of = self.inner(characters(self.take()[1:-2]))
            return Node("slope", (of, self.scripts(self.primary())))
        raise self.error("no factor")

    def _raised(self) -> Node | None:
        """w_{ij}^{Q}: a small letter with a part of its name above the indices."""
        start = self.at
        for length in range(min(self.longest, len(self.tokens) - start), 0, -1):
            if self.peek(length) != "_":
                continue
            self.at = start + length + 1
            below, above = self.braced(), self.braced() if self.skip("^") else ()
            raised = ("^", *above) if len(above) == 1 else ("^", "{", *above, "}")
            base = self.tokens[start : start + length]
            name = self.names.get((*base, *raised), "")
            # What is itself called p^{(1)} or logits^{(1)}, after a step of training, is written as a small letter is.
            if name.startswith((SMALL, ROW)) or (name and above and not base[-1].isupper()):
                kind = "rows" if name.startswith(ROW) else "name"
                named = Node(kind, (), name.removeprefix(SMALL).removeprefix(ROW))
                return Node("at", (named, *self._indices(below)))
            self.at = start
        return None

    def _name(self) -> Node | None:
        for length in range(self.longest, 0, -1):
            tokens = self.tokens[self.at : self.at + length]
            name = self.names.get(tokens) if len(tokens) == length else None
            if name is None or (name.startswith(SMALL) and tokens == ("e",) and self.peek(1) == "^"):
                continue  # e^{…} is an exponential, even beside a matrix E
            if name.startswith((SMALL, ROW)) and self.peek(length) != "_":
                continue  # a small letter stands for a matrix only with the index of an entry
            self.at += length
            kind = "rows" if name.startswith(ROW) else "name"
            return Node(kind, (), name.removeprefix(SMALL).removeprefix(ROW))
        return None

    def _number(self) -> Node:
        text = self.take()
        while self.peek().isdigit() or (self.peek() == "." and self.peek(1).isdigit() and "." not in text):
            text += self.take()
        if self.tokens[self.at : self.at + 4] == (r"\times", "1", "0", "^"):
            self.at += 4
            exponent = self.braced()
            return Node("number", (), f"{text}e{''.join(exponent)}")
        return Node("number", (), text)

    def _letter(self, letter: str) -> Node:
        if letter in (r"\infty", r"\pi", "e") and self.peek() != "_":
            return Node("constant", (), letter)
        if letter == r"\Phi" and self.peek() == "(":
            return self._call(letter)
        return Node("letter", (), letter)

    def _word(self) -> Node:
        word = "".join(self.braced())
        if self.skip("'"):
            return self._call(f"{word}'")
        if self.peek() == "_" and word not in _APPLIED:
            mark = self.at
            self.take()
            tokens = self.braced()
            if self.peek() == "(":
                return self._call(word, "".join(tokens))
            self.at = mark
            return Node("letter", (), word)
        if self.peek() == "_":
            self.take()
            letter, *most = _split(self.braced(), r"\le")
            index = Node("letter", (), "".join(letter))
            return Node("over", (index, self._body(), *(self.inner(bound) for bound in most)), word)
        if self.peek() == "(":
            return self._call(word)
        if word in _APPLIED:
            self.skip(r"\thinspace")
            return Node("applied", (self.scripts(self.primary()),), word)
        return Node("letter", (), word)

    def _body(self) -> Node:
        """What a sum or a maximum over an index takes: the whole product behind it."""
        self.skip(r"\thinspace")
        return self.product()

    def _call(self, word: str, sub: str = "") -> Node:
        self.take("(", "[")
        arguments = [self.sum()]
        while self.skip(","):
            arguments.append(self.sum())
        self.take(")", "]")
        return Node("call", tuple(arguments), f"{word}_{sub}" if sub else word)

    def _summed(self) -> Node:
        self.take("_")
        below = self.braced()
        self.take("^")
        above = self.braced()
        start = below.index("=")
        index = Node("letter", (), "".join(below[:start]))
        return Node("sigma", (index, self.inner(below[start + 1 :]), self.inner(above), self._body()))

    def _parenthesised(self) -> Node:
        node = self.sum()
        self.take(")")
        return Node("group", (node,))

    def _bars(self, close: str) -> Node:
        node = self.sum()
        self.take(close)
        return Node("bars", (node,), close)

    def _fraction(self) -> Node:
        top, bottom = self.inner(self.braced()), self.inner(self.braced())
        return Node("fraction", (top, bottom))

    def _bold(self) -> Node:
        """A letter in bold is another letter; a figure is the same figure, but 1 with its shape is a matrix of ones."""
        tokens = self.braced()
        if self.peek() != "_" and any(token.isdigit() or token == r"\infty" for token in tokens):
            return self.inner(tokens)
        return Node("letter", (), rf"\mathbf{{{''.join(tokens)}}}")

    def _environment(self) -> Node:
        name = "".join(self.braced())
        if name == "array":
            self.braced()
        start, depth = self.at, 1
        while depth:
            depth += {r"\begin": 1, r"\end": -1}.get(self.take(), 0)
        body = self.tokens[start : self.at - 1]
        if "".join(self.braced()) != name:
            raise self.error("an environment ends as another")
        rows = []
        for row in _rows(body):
            cells = _split([token for token in row if token != r"\hline"], "&")
            if name == "cases":
                value, condition = cells
                rows.append(Node("branch", (self.inner(value), self._condition(condition))))
            else:
                rows.append(Node("row", tuple(self.inner(cell) if cell else Node("empty") for cell in cells)))
        return Node(name, tuple(rows))

    def _condition(self, tokens: Tokens) -> Node:
        """i = 2, j = 1 holds where both do, i < 2 ∨ i > 3 where one does."""
        for sign, kind in ((r"\lor", "either"), (",", "both")):
            parts = _split(tokens, sign)
            if len(parts) > 1 and all(RELATIONS.keys() & set(part) for part in parts):
                return Node(kind, tuple(map(self._condition, parts)))
        statement = Reader(tokens, self.names).statement()
        return Node("chain", statement.sides, " ".join(statement.relations))

    # -- subscripts and exponents ----------------------------------------------------------------------------------

    def scripts(self, base: Node) -> Node:
        while self.peek() in ("_", "^"):
            if self.take() == "_":
                below = self.braced()
                is_of_places = base == ONE and RELATIONS.keys() & set(below) and below[-2:] != ("=", "0")
                base = (
                    Node("holding", (self._condition(below),))
                    if is_of_places
                    else Node("at", (base, *self._indices(below)))
                )
                continue
            tokens = self.braced()
            if tokens[0] == r"\odot":
                base = Node("each_power", (base, self.inner(tokens[1:])))
                continue
            turned = tokens == ("T",)
            base = Node("transposed", (base,)) if turned else Node("power", (base, self.inner(tokens)))
        return base

    def _indices(self, tokens: Tokens) -> tuple[Node, ...]:
        """ij, 11, 10,2 or i,2t − 1; one figure after another is an index each, unless a comma stands between."""
        if r"\text" in tokens:
            return (Node("label", (), "".join(tokens[1:-1] if tokens[0] == "(" else tokens)),)
        if tokens[-2:] == ("=", "0"):
            return (Node("seen", (self.inner(tokens[:-2]),)),)
        if RELATIONS.keys() & set(tokens):
            return (Node("where"),)  # where a mask lets a position look, which its word says too
        if r"\times" in tokens:
            return (Node("sizes", tuple(self.inner(part) for part in _split(tokens, r"\times"))),)
        places = _split(tokens, ",")
        if len(places) == 1 and not {"+", "-", "{"} & set(tokens):
            return (Node("indices", tuple(_index(token) for token in tokens)),)
        return tuple(Reader(place, {}).whole() for place in places)

    def whole(self) -> Node:
        """An index: a whole number, a letter, or a sum of them; · stands for all."""
        if self.tokens == (r"\cdot",):
            return Node("all")
        if ":" in self.tokens:
            low, high = _split(self.tokens, ":")
            return Node("range", (self.inner(low), self.inner(high)))
        node = self.sum()
        self.end()
        return node


def _of_figures(fraction: Node) -> bool:
    return all(part.kind == "number" for part in fraction.parts)


def _index(token: str) -> Node:
    return Node("number", (), token) if token.isdigit() else Node("letter", (), token)


def _split(tokens: Sequence[str], sign: str) -> list[Tokens]:
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"{": 1, "(": 1, r"\begin": 1, "}": -1, ")": -1, r"\end": -1}.get(token, 0)
        if token == sign and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts]


_PRIMARY: Mapping[str, Callable[[Reader], Node]] = {
    "(": Reader._parenthesised,
    r"\frac": Reader._fraction,
    r"\dfrac": Reader._fraction,
    SLOPE: lambda reader: Node("slope", (reader.inner(reader.braced()), reader.inner(reader.braced()))),
    r"\sqrt": lambda reader: Node("root", (reader.inner(reader.braced()),)),
    r"\sum": Reader._summed,
    r"\mathrm": Reader._word,
    r"\mathbf": lambda reader: reader._bold(),
    r"\boldsymbol": lambda reader: reader._bold(),
    r"\underline": lambda reader: reader.inner(reader.braced()),
    r"\lvert": lambda reader: reader._bars(r"\rvert"),
    r"\lVert": lambda reader: reader._bars(r"\rVert"),
    r"\lfloor": lambda reader: reader._bars(r"\rfloor"),
    r"\begin": Reader._environment,
}
