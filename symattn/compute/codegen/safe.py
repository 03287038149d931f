"""Rewrite equations for double precision: equal ones, without intermediate overflow or cancellation.

A few identities are enough. Libraries have functions for ln(1 + u) and for eˣ − 1; ln(1 + eˣ) is max(x, 0) + ln(1 +
e^(−|x|)); a sum of exponentials in a logarithm or a divisor has its largest term factored out; the arguments of an
arccosine and a root are limited to their domain, and that of an exponential in a case to the range of the case. Both
the helper functions and the error analysis start from these equations.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from symattn.compute.codegen.code import free_name
from symattn.operations.equations.parts import ONE, ZERO, ending, placed, rewritten
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
    Piece,
    Tree,
    walk,
)
from symattn.operations.equations.whole import free

SOFTMAX_OR_ZERO = """
    softmax(S: m×n) -> m×n
        top[i] = max(k, S[i,k]) if max(k, S[i,k]) > -oo else 0
        e[i,j] = exp(S[i,j] - top[i])
        t[i] = sum(k, e[i,k])
        y[i,j] = e[i,j] / max(t[i], 1)
"""
"""A softmax that gives a row of only −∞ weights of 0; the largest term of any other row is 1."""


@lru_cache(maxsize=1000)
def in_doubles(operation: Operation, keeps_domains: bool = True) -> Operation:
    """Return the operation, rewritten for double precision.

    Without ``keeps_domains`` the arguments of an arccosine and a root are not limited, for a program that may be given
    numbers outside their domain.

    >>> from symattn.operations.equations.ranges import piece_text
    >>> from symattn.operations.equations.read import read_operation
    >>> softplus = read_operation("softplus(X)\\n e[i,j] = exp(X[i,j])\\n y[i,j] = log(1 + e[i,j])")
    >>> piece_text(in_doubles(softplus).result.body)
    'max(X[i,j], 0) + log1p(exp(-abs(X[i,j])))'
    >>> piece_text(in_doubles(read_operation("near(X)\\n y[i,j] = log(1 + X[i,j]^2)")).result.body)
    'log1p(X[i,j]^2)'
    >>> sums = read_operation("lse(X)\\n y[i] = log(sum(k, exp(X[i,k])))")
    >>> [f"{each.name} = {piece_text(each.body)}" for each in in_doubles(sums).equations]
    ['top = max(k, X[i,k])', 'total = sum(k, exp(X[i,k] - top[i]))', 'y = top[i] + log(total[i])']
    """
    known = {each.name: each for each in operation.equations}
    equations = []
    for each in operation.equations:
        body = rewritten(each.body, lambda piece: _stable(piece, known, keeps_domains))
        equations.append(replace(each, body=body))  # type: ignore[arg-type]
    found = replace(operation, equations=tuple(equations))
    if any(_is_sum_of_exponentials(p, found) for each in equations for p in walk(each.body)):
        found = _shifted(_with_named_sums(found))
    if found.equations == operation.equations:
        return operation
    said = {**found.range_of, **operation.range_of}
    short = ending(found, found.equations, operation.name)
    return replace(short, parameters=operation.parameters, shape=operation.shape, ranges=tuple(said.items()))


def _stable(piece: Piece, known: dict[str, NamedEquation], keeps_domains: bool) -> Piece:
    match piece:
        case Apply("log", (Apply("add", (one, u) | (u, one)),)) if one == ONE:
            match resolved(u, known):
                case Apply("exp", (v,)):
                    small = Apply("log1p", (Apply("exp", (Apply("neg", (Apply("abs", (v,)),)),)),))
                    return Apply("add", (Apply("max", (v, ZERO)), small))
            return Apply("log1p", (u,))
        case Apply("sub", (e, one)) if one == ONE:
            match resolved(e, known):
                case Apply("exp", (v,)):
                    return Apply("expm1", (v,))
        case Apply("acos", (x,)) if keeps_domains:
            return Apply("acos", (Apply("max", (Apply("min", (x, ONE)), Apply("neg", (ONE,)))),))
        case Branch(condition, then, otherwise):
            return Branch(condition, _within(then, condition, True), _within(otherwise, condition, False))
        case Apply("sqrt", (x,)) if keeps_domains and _may_cancel(x, known):
            return Apply("sqrt", (Apply("max", (x, ZERO)),))
    return piece


def resolved(piece: Piece, known: dict[str, NamedEquation]) -> Piece:
    """Replace a piece that is only the name of an equation by the equation's body."""
    while isinstance(piece, Entry) and piece.name in known:
        equation = known[piece.name]
        bound = {p.index for p in walk(equation.body) if isinstance(p, Over)}
        if bound & {letter for place in piece.places for letter in free(place)}:
            return piece
        piece = placed(equation.body, dict(zip(equation.index, piece.places, strict=True)))
    return piece


def _within(branch: Tree, condition: Compare | All, holds: bool) -> Tree:
    """Limit the arguments of exponentials in a branch to the side of the bound where the branch holds."""
    match condition:
        case Compare("<" | "<=" | ">" | ">=" as sign, Entry() as entry, bound) if not free(bound):
            inside = Apply("min" if sign.startswith("<") == holds else "max", (entry, bound))

            def rule(piece: Piece) -> Piece:
                if not (isinstance(piece, Apply) and piece.function in ("exp", "expm1")):
                    return piece
                return rewritten(piece, lambda each: inside if each == entry else each)

            return rewritten(branch, rule)  # type: ignore[return-value]
    return branch


def _may_cancel(piece: Piece, known: dict[str, NamedEquation]) -> bool:
    """Return whether rounding may make a nonnegative number negative: a difference that is not squared."""
    match piece:
        case Apply("pow", (_, Constant(value))) if value.denominator == 1 and value % 2 == 0:
            return False
        case Apply("abs" | "exp" | "sqrt", _) | Constant() | Index():
            return False
        case Apply("sub" | "neg" | "log" | "xlogx", _):
            return bool(free(piece))
        case Apply(_, arguments):
            return any(_may_cancel(each, known) for each in arguments)
        case Over(_, _, body):
            return _may_cancel(body, known)
        case Entry(name) if name in known:
            return _may_cancel(resolved(piece, known), known) if resolved(piece, known) != piece else False
    return False


# -- sums of exponentials ----------------------------------------------------------------------------------------


def _is_sum_of_exponentials(piece: Piece, operation: Operation) -> bool:
    if not (isinstance(piece, Over) and piece.kind == "sum"):
        return False
    found = resolved(piece.body, {each.name: each for each in operation.equations})
    return isinstance(found, Apply) and found.function == "exp" and piece.index in free(found)


def _fresh(name: str, operation: Operation) -> str:
    taken = {p.name for p in operation.parameters} | {e.name for e in operation.equations} | set(operation.range_of)
    return free_name(name, "_", taken)


def _with_named_sums(operation: Operation) -> Operation:
    """Name every sum of exponentials inside an equation."""
    for place, equation in enumerate(operation.equations):
        for piece in walk(equation.body):
            if piece is equation.body and equation is not operation.result:
                continue
            letters = tuple(letter for letter in equation.index if letter in free(piece))
            if _is_sum_of_exponentials(piece, operation) and free(piece) == set(letters):
                total = NamedEquation(_fresh("total", operation), letters, piece)  # type: ignore[arg-type]
                entry = Entry(total.name, tuple(map(Index, letters)))
                body = rewritten(equation.body, lambda p, old=piece, new=entry: new if p == old else p)  # type: ignore[misc]
                changed = replace(equation, body=body)  # type: ignore[arg-type]
                before, after = operation.equations[:place], operation.equations[place + 1 :]
                return _with_named_sums(replace(operation, equations=(*before, total, changed, *after)))
    return operation


def _shifted(operation: Operation) -> Operation:
    """Factor the largest term out of sums of exponentials, wherever only the logarithm or a share of such a sum is
    needed."""
    for equation in operation.equations:
        if _is_sum_of_exponentials(equation.body, operation):
            operation = _without_largest(operation, equation)
    return operation


def _without_largest(operation: Operation, total: NamedEquation) -> Operation:
    known = {each.name: each for each in operation.equations}
    over = total.body
    assert isinstance(over, Over)
    term = resolved(over.body, known)
    assert isinstance(term, Apply)
    (power,) = term.arguments
    top, marked = _fresh("top", operation), f"{total.name} shifted"

    def less(v: Tree, places: tuple[Tree, ...]) -> Tree:
        return Apply("exp", (Apply("sub", (v, Entry(top, places))),))

    def rule(piece: Piece) -> Piece:
        match piece:
            case Apply("log", (Entry(name, places),)) if name == total.name:
                return Apply("add", (Entry(top, places), Apply("log", (Entry(marked, places),))))
            case Apply("div", (above, Entry(name, places))) if name == total.name:
                match resolved(above, known):
                    case Apply("exp", (v,)):
                        here = placed(power, dict(zip(total.index, places, strict=True)))
                        if any(placed(here, {over.index: Index(letter)}) == v for letter in free(v)):
                            return Apply("div", (less(v, places), Entry(marked, places)))
        return piece

    changed = [replace(e, body=rewritten(e.body, rule)) for e in operation.equations]  # type: ignore[arg-type]
    if any(isinstance(p, Entry) and p.name == total.name for each in changed for p in walk(each.body)):
        return operation  # the sum itself is used
    places = tuple(map(Index, total.index))
    largest = NamedEquation(top, total.index, Over("max", over.index, power))
    rest = replace(total, body=Over("sum", over.index, less(power, places)))
    found: list[NamedEquation] = []
    for each in changed:
        found += [largest, rest] if each.name == total.name else [each]

    def back(piece: Piece) -> Piece:
        return Entry(total.name, piece.places) if isinstance(piece, Entry) and piece.name == marked else piece

    return replace(operation, equations=tuple(replace(e, body=rewritten(e.body, back)) for e in found))  # type: ignore[arg-type]


def may_overflow(operation: Operation) -> bool:
    """Return whether an exponential may have a large argument."""
    bodies = {e.name: e.body.then if isinstance(e.body, Branch) else e.body for e in operation.equations}
    largest = {name for name, body in bodies.items() if isinstance(body, Over) and body.kind == "max"}
    pieces = (piece for equation in operation.equations for piece in walk(equation.body))
    calls = (piece for piece in pieces if isinstance(piece, Apply) and piece.function in ("exp", "expm1"))
    return any(not _is_small(call.arguments[0], largest) for call in calls)


def _is_small(power: Tree, largest: set[str]) -> bool:
    match power:
        case Apply("neg", (Apply("abs", _),)) | Constant() | Apply("min", (_, Constant())):
            return True
        case Apply("sub", (_, Entry(name))):
            return name in largest
    return False
