"""Derive the helper function of an operation from its equations: in whole arrays, or here in loops over entries.

Loops serve equations that read entries at other places than their own.

>>> from symattn.operations.equations.read import read_operation
>>> from symattn.compute.codegen.language import read_language
>>> softcap = read_operation("softcap(X, c)\\n y[i,j] = c * tanh(X[i,j] / c)")
>>> print(helper(softcap, "softcap", read_language("numpy")))
def softcap(X, c):
    \"\"\"y[i,j] = c*tanh(X[i,j]/c)\"\"\"
    return c * np.tanh(X / c)
>>> print(helper(softcap, "softcap", read_language("r")))
# y[i,j] = c*tanh(X[i,j]/c)
softcap <- function(X, c) c * tanh(X / c)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from symattn.compute.codegen.code import Binding, Code
from symattn.compute.codegen.language import ProgramLanguage
from symattn.compute.codegen.safe import in_doubles, may_overflow
from symattn.compute.codegen.whole import WholeArrays
from symattn.compute.codegen.writing import LONGEST, Fragment, LocalNames, NotWholeError, Writing, comment_line
from symattn.operations.equations.parts import ONE
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    NamedEquation,
    Operation,
    Over,
    Tree,
    walk,
)


@dataclass
class Loops(Writing):
    """Writes every equation as a loop over its indices."""

    plain: dict[str, bool] = field(default_factory=dict)
    """The equations already written, and whether they hold plain numbers."""

    def body(self) -> tuple[list[str], str]:
        """Return the assignments and the result."""
        loops = self.spelling.loops
        lines = []
        for equation in self.operation.equations[:-1]:
            kind = ("{body}", loops["list"], loops["rows"])[len(equation.index)]
            text = self._made(equation, kind)
            self.plain[equation.name] = self.part(equation.body).plain
            lines.append(self.spelling.assigned(self.names.of("entry", equation.name), text))
        result = self.operation.result
        along_row = self.operation.shape[0] == ONE != self.operation.shape[1]
        kind = {0: "single", 1: "row" if along_row else "column", 2: "matrix"}[len(result.index)]
        text = self._made(result, loops[kind])
        return [*self.bound_sizes(), *lines], text

    def _made(self, equation: NamedEquation, template: str) -> str:
        letters = dict(zip("ij", equation.index, strict=False))
        reach = dict(zip("mn", map(self.reach, equation.index), strict=False))
        named = {key: self.names.of("index", letter) for key, letter in letters.items()}
        text = self.part(equation.body).text
        is_long = len(text) > LONGEST and not self.spelling.unknown
        if isinstance(equation.body, Branch) and equation is self.operation.result and is_long:
            case = equation.body
            condition = self.condition(case.condition, self.part).text
            text = self.spelling.long_case.format(condition, self.part(case.then).text, self.part(case.otherwise).text)
        return template.format(body=text, **named, **reach)

    def part(self, piece: Tree) -> Fragment:
        """Return a piece at the current indices. Raises :class:`TypeError` for an unknown one."""
        leaf = self.leaf(piece)
        if leaf is not None:
            return leaf
        match piece:
            case Index(name):
                code = Code(self.names.of("index", name))
                return Fragment(code if self.spelling.first else Code(f"{code.text} + 1", Binding.SUM))
            case Entry(name, places):
                return self._entry(name, places)
            case Apply("add" | "sub", _) if not self.spelling.first and any(
                isinstance(term, Index) for _, term in _terms(piece)[0]
            ):
                text = self._added(piece, 1)
                return Fragment(Code(text, Binding.ATOM if text.isidentifier() else Binding.SUM))
            case Apply(function, arguments):
                return self.applied(function, list(map(self.part, arguments)))
            case Over(kind, index, body):
                inner = self.part(body)
                text = self.spelling.loops[kind].format(
                    body=inner.text, k=self.names.of("index", index), n=self.reach(index)
                )
                return replace(inner, code=Code(text))
            case Branch(condition, then, otherwise):
                parts = [self.part(then), self.part(otherwise)]
                plain = all(p.plain for p in parts)
                texts = [p.text if plain or not p.plain else self.spelling.tensor.format(p.text) for p in parts]
                holds = replace(self.condition(condition, self.part), plain=True)
                text = self.spelling.case.format(holds.text, *texts)
                return Fragment(Code(self._where_known(condition, text)), plain=plain)
        raise TypeError(f"no way to write {type(piece).__name__}")

    def _where_known(self, condition: Compare | All, case: str) -> str:
        """Return a case that has no value where a compared entry has none, in a language with a test for that."""
        sides = [each for each in walk(condition) if isinstance(each, Entry) and self.leaf(each) is None]
        if not self.spelling.unknown or not sides:
            return case
        return self.spelling.unknown.format(", ".join(self.part(each).text for each in dict.fromkeys(sides)), case)

    def sign(self, function: str, plain: bool) -> str:
        """Return an operator without a dot: everything is entry by entry."""
        return super().sign(function, True)

    def _entry(self, name: str, places: tuple[Tree, ...]) -> Fragment:
        local = self.names.of("entry", name)
        texts = [self.place(place) for place in places]
        if name in self.plain:
            named = local if not texts else self.spelling.named[len(texts) - 1].format(x=local, i=texts[0], j=texts[-1])
            return Fragment(Code(named), plain=self.plain[name])
        i, j = texts if len(texts) == 2 else (str(self.spelling.first), *texts)
        # In Python an entry is a number of NumPy's, or a tensor.
        plain = self.spelling.first == 1 or self.spelling.entries_only
        return Fragment(Code(self.spelling.entry.format(x=local, i=i, j=j)), plain=plain)

    def place(self, piece: Tree) -> str:
        """Return an index, in the counting of the language."""
        text = self._added(piece, 0)
        divided = any(isinstance(each, Apply) and each.function in ("div", "floor", "mod") for each in walk(piece))
        return self.spelling.rounded.format(text) if divided else text

    def _added(self, piece: Tree, first: int) -> str:
        """Return a sum with an index in it; the first place counts as ``first`` unless the language counts from 1."""
        terms, constant = _terms(piece)
        alone = [sign for sign, term in terms if isinstance(term, Index)]
        constant += 0 if self.spelling.first else sum(alone) - 1 + first
        text = ""
        for sign, term in sorted(terms, key=lambda each: each[0], reverse=True):
            part = Fragment(Code(self.names.of("index", term.name))) if isinstance(term, Index) else self.part(term)
            written = part.code.at(Binding.PRODUCT)
            text += f" {'+' if sign > 0 else '-'} {written}" if text else written if sign > 0 else f"-{written}"
        if constant or not text:
            text = f"{text} {'+' if constant > 0 else '-'} {abs(constant)}" if text else str(constant)
        return text


def _terms(piece: Tree) -> tuple[list[tuple[int, Tree]], int]:
    """Split a place into its terms with their signs, and the constant added to them."""
    match piece:
        case Constant(value):
            return [], int(value)
        case Apply("add" | "sub" as function, (left, right)):
            (one, a), (other, b) = _terms(left), _terms(right)
            sign = 1 if function == "add" else -1
            return [*one, *((sign * s, term) for s, term in other)], a + sign * b
    return [(1, piece)], 0


def helper(operation: Operation, name: str, language: ProgramLanguage) -> str:
    """Return a function of that name which computes an operation."""
    spelling = language.spelling
    safe = in_doubles(operation, spelling.keeps_domains)

    def written(writing: type[WholeArrays] | type[Loops]) -> tuple[list[str], list[str], str]:
        made = writing(safe, language, LocalNames(language.avoided | {name}, language.suffix))
        parameters = made.parameters()
        return parameters, *made.body()

    try:
        parameters, lines, result = written(Loops if spelling.entries_only else WholeArrays)
    except NotWholeError:
        parameters, lines, result = written(Loops)
    template = spelling.function if lines or not spelling.short_function else spelling.short_function
    text = template.format(
        name=name,
        parameters=", ".join(parameters),
        comment=comment_line(operation),
        body="".join(map(spelling.body.format, lines)),
        result=result,
    )
    return f"{spelling.overflow}\n{text}" if spelling.overflow and may_overflow(safe) else text
