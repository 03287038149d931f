"""What somebody gets who makes a slip: a lesson's formulas, changed in one place. Nothing of symattn is used here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from tests.sentences.values import Rows, parsed, work_out

Texts = Iterator[str]
Slip = Callable[[ast.expr, Mapping[str, str]], Texts]
"""Yields the formulas that may stand in place of a part; the mapping has the formulas of all steps."""


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _calls(node: ast.expr, *names: str) -> list[str]:
    """The arguments of a call of one of these functions, or none."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    return list(map(_text, node.args)) if is_call and isinstance(node, ast.Call) else []


def _instead(*names: str, of: str) -> Slip:
    """A call becomes another formula of its first argument, {0}, and the others."""

    def changed(node: ast.expr, written: Mapping[str, str]) -> Texts:
        if given := _calls(node, *names):
            yield of.format(*given)

    return changed


def _pair(sign: type, *made: str) -> Slip:
    """Two operands, {0} and {1}, become another formula."""

    def changed(node: ast.expr, written: Mapping[str, str]) -> Texts:
        if isinstance(node, ast.BinOp) and isinstance(node.op, sign):
            yield from (each.format(_text(node.left), _text(node.right)) for each in made)

    return changed


def _any(*slips: Slip) -> Slip:
    return lambda node, written: chain.from_iterable(slip(node, written) for slip in slips)


def _earlier(sign: type) -> Slip:
    """The softmax of scores from before a division, or before a mask was added, wherever that was done."""

    def changed(node: ast.expr, written: Mapping[str, str]) -> Texts:
        for part in ast.walk(node) if _calls(node, "softmax") else ():
            if isinstance(part, ast.Name) and part.id in written:
                yield from (_put(node, part, new) for new in _without(sign, parsed(written[part.id]), written))

    return changed


def _without(sign: type, whole: ast.expr, written: Mapping[str, str]) -> Texts:
    """A formula, or one that it names, with the right operand of a sign left out."""
    for part in ast.walk(whole):
        if isinstance(part, ast.BinOp) and isinstance(part.op, sign):
            yield _put(whole, part, ast.unparse(part.left))
        elif isinstance(part, ast.Name) and part.id in written:
            yield from (_put(whole, part, new) for new in _without(sign, parsed(written[part.id]), written))


def _relu_first(node: ast.expr, written: Mapping[str, str]) -> Texts:
    """ReLU of the input of a layer, whose product and bias are as they were."""
    for given in _calls(node, "relu"):
        whole = parsed(written.get(given.strip("()"), given))
        for part in ast.walk(whole):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult):
                yield _put(whole, part.left, f"relu({ast.unparse(part.left)})")


def _minus(node: ast.expr, written: Mapping[str, str]) -> Texts:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _text(node.operand)


def _norm(of: str) -> Slip:
    """A layer norm or an RMS norm becomes another formula of its rows, of what is divided and of their mean square."""

    def changed(node: ast.expr, written: Mapping[str, str]) -> Texts:
        if given := _calls(node, "layer_norm", "rms_norm"):
            assert isinstance(node, ast.Call)
            name, x = ast.unparse(node.func), given[0]
            named = dict(zip(("epsilon", "gamma", "beta"), ("10**-5", "1", "0"), strict=True))
            named |= dict(zip(named, given[1:], strict=False))
            named |= {str(each.arg): _text(each.value) for each in node.keywords}
            above = x if name == "rms_norm" else f"({x} - row_mean({x}))"
            square = f"row_mean({above} * {above})"
            yield of.format(x=x, norm=name, above=above, square=square, d=f"sum(row({x}, 1) * 0 + 1)", **named)

    return changed


def _put(whole: ast.expr, part: ast.AST, new: str) -> str:
    """The formula with something else in the place of a part."""
    order = list(ast.walk(whole)).index(part)
    copy = ast.Expression(parsed(ast.unparse(whole)))
    there = list(ast.walk(copy.body))[order]

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return parsed(f"({new})") if node is there else self.generic_visit(node)

    return ast.unparse(Put().visit(copy))


def _untransposed(node: ast.expr, written: Mapping[str, str]) -> Texts:
    if isinstance(node, ast.Attribute):
        yield _text(node.value)


def _less_taken(node: ast.expr, written: Mapping[str, str]) -> Texts:
    """A quotient whose dividend, a - b - c, lacks some of what is subtracted."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        above, taken = node.left, []
        while isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub):
            above, taken = above.left, [above.right, *taken]
        for left_out in taken:
            kept = [_text(each) for each in taken if each is not left_out]
            yield f"({' - '.join([_text(above), *kept])}) / {_text(node.right)}"
        yield f"{_text(above)} / {_text(node.right)}"


def _rotary(*made: str) -> Slip:
    """A rotation becomes one from another start, to another base, or by other angles."""

    def changed(node: ast.expr, written: Mapping[str, str]) -> Texts:
        if given := _calls(node, "rotary"):
            assert isinstance(node, ast.Call)
            named = dict(zip(("start", "base"), given[1:], strict=False))
            named |= {str(each.arg): _text(each.value) for each in node.keywords}
            yield from (each.format(x=given[0], **{"start": "0", "base": "10000", **named}) for each in made)

    return changed


_FIRST, _EITHER = ("{0}",), ("{0}", "{1}")

SLIPS: Mapping[str, Slip] = {
    "Softmax over columns": _any(
        _instead("softmax", of="softmax({0}.T).T"), _instead("proportions", "divide", of="proportions({0}.T).T")
    ),
    "Softmax over all entries": _instead("softmax", of="exp({0}) / sum(exp({0}))"),
    "Not divided by the sum": _any(
        _instead("softmax", of="exp({0})"), _instead("proportions", "divide", of="{0}"), _pair(ast.Div, *_FIRST)
    ),
    "Shares without exponentials": _any(_instead("softmax", of="proportions({0})"), _instead("exp", of="{0}")),
    "Largest score takes all": _instead("softmax", of="top_k({0}, 1)"),
    "Softmax of the negated scores": _instead("softmax", of="softmax(-{0})"),
    "Softmax of the unscaled scores": _earlier(ast.Div),
    "Softmax of the unmasked scores": _earlier(ast.Add),
    "Divided by the width, not its root": _pair(ast.Div, "{0} / ({1} * {1})"),
    "Divided by the number of tokens": _pair(ast.Div, "{0} / sum(row({0}, 1) * 0 + 1)"),
    "Root of the number of tokens": _pair(ast.Div, "{0} / sqrt(sum(row({0}, 1) * 0 + 1))"),
    "Multiplied by the root": _pair(ast.Div, "{0} * {1}"),
    "Scale forgotten": _pair(ast.Div, *_FIRST),
    "Maximum subtracted in one place only": _instead("softmax", of="softmax({0}) * exp(-row_max({0}))"),
    "ReLU before the product": _relu_first,
    "Minus sign forgotten": _minus,
    "Powers of two": _any(_instead("softmax", of="softmax({0} * log(2))"), _instead("exp", of="exp({0} * log(2))")),
    "Powers of ten": _any(_instead("softmax", of="softmax({0} * log(10))"), _instead("exp", of="exp({0} * log(10))")),
    "Logarithm to base ten": _instead("log", of="log({0}) / log(10)"),
    "Logarithm to base two": _instead("log", of="log({0}) / log(2)"),
    "Sum instead of mean": _any(
        _instead("mean", of="sum({0})"), _instead("row_mean", of="row_sum({0})"), _pair(ast.Div, *_FIRST)
    ),
    "Weights transposed": _pair(ast.MatMult, "{0}.T @ {1}"),
    "Values transposed": _pair(ast.MatMult, "{0} @ {1}.T"),
    "Weight matrix transposed": _pair(ast.MatMult, "{0} @ {1}.T"),
    "Second factor not transposed": _any(_instead("dot", of="{0} @ {1}"), _pair(ast.MatMult, "{0} @ {1}.T")),
    "Product the other way round": _any(_instead("dot", of="{1} @ {0}.T"), _pair(ast.MatMult, "({0} @ {1}).T")),
    "The wrong factor transposed": _pair(ast.MatMult, "{0}.T @ {1}.T"),
    "Transpose forgotten on the way back": _any(_untransposed, _pair(ast.MatMult, "{0}.T @ {1}", "{0} @ {1}.T")),
    "Values forgotten": _pair(ast.MatMult, *_FIRST),
    "Output projection forgotten": _pair(ast.MatMult, *_FIRST),
    "Bias forgotten": _pair(ast.Add, *_FIRST),
    "Bias subtracted": _pair(ast.Add, "{0} - {1}"),
    "Mask after the softmax": _instead("proportions", "divide", of="{0}"),
    "Mask forgotten": _pair(ast.Add, *_EITHER),
    "Multiplied entry by entry": _pair(ast.MatMult, "{0} * {1}"),
    "Residual forgotten": _pair(ast.Add, *_EITHER),
    "First row taken": _instead("row", of="row({0}, 1)"),
    "Components added instead of multiplied": _any(
        _instead("dot", of="row_sum({0}) + row_sum({1})"), _pair(ast.MatMult, "row_sum({0}) + row_sum({1}.T)")
    ),
    "Lengths multiplied": _any(
        _instead("dot", of="norm({0}) @ norm({1}).T"), _pair(ast.MatMult, "norm({0}) @ norm({1}.T).T")
    ),
    "Mean over the batch forgotten": _pair(ast.Div, *_FIRST),
    "Scale forgotten on the way back": _pair(ast.Div, *_FIRST),
    "Gradient transposed": _pair(ast.MatMult, "({0} @ {1}).T"),
    "Difference the wrong way round": _pair(ast.Sub, "{1} - {0}"),
    "Target not subtracted": _pair(ast.Sub, *_FIRST),
    "Gate of the ReLU forgotten": _pair(ast.Mult, *_FIRST),
    "ReLU of the gradient": _pair(ast.Mult, "relu({0})"),
    "Residual forgotten on the way back": _pair(ast.Add, *_EITHER),
    "Only the residual on the way back": _pair(ast.Add, *_EITHER),
    "Rows averaged instead of added": _pair(ast.MatMult, "{0} @ {1} / sum({0})"),
    "Norm taken for a division": _less_taken,
    "Deviation taken for a constant": _less_taken,
    "Mean taken for a constant": _less_taken,
    "Position off by one": _rotary("rotary({x}, {start} + 1, {base})"),
    "Position one too early": _rotary("rotary({x}, {start} - 1, {base})"),
    "Position of the first row ignored": _rotary("rotary({x}, 0, {base})"),
    "The usual base instead of the given one": _rotary("rotary({x}, {start}, 10000)"),
    "Lengths forgotten": _instead("cosine", of="{0} @ {1}.T"),
    "Variance divided by one less": _norm("{above} / sqrt({square} * {d} / ({d} - 1) + {epsilon}) * {gamma} + {beta}"),
    "Normalised over the tokens": _norm("{norm}({x}.T, {epsilon}).T * {gamma} + {beta}"),
    "Root forgotten": _norm("{above} / ({square} + {epsilon}) * {gamma} + {beta}"),
    "Mean subtracted": _norm("layer_norm({x}, {epsilon}) * {gamma}"),
    "Gain forgotten": _norm("{norm}({x}, {epsilon}) + {beta}"),
}  # fmt: skip
"""For the title of a slip: what may then stand in place of a part."""


def results(title: str, step: str, written: Mapping[str, str], known: Mapping[str, Rows]) -> Iterator[Rows]:
    """What a step comes to with this slip, in every place where it can be made."""
    whole = parsed(written[step])
    for part in ast.walk(whole):
        if isinstance(part, ast.expr):
            for new in SLIPS[title](part, written):
                try:
                    yield work_out(_put(whole, part, new), known)
                except (ValueError, IndexError, ZeroDivisionError):
                    continue  # shapes that do not fit, or a sum of 0
