"""The purpose of each given and each step, found in formulas, sizes and axes alone: a table of rules, each small.

>>> from symattn.base.shapes import shape
>>> plan = Plan().given("H", shape(3, 4)).given("B", shape(4, 2)).given("C", shape(4, 2))
>>> plan = plan.step("q", "H @ B").step("k", "H @ C").step("A", "softmax(q @ k.T)").step("Y", "A @ H")
>>> [(name, role.kind) for name, role in roles(plan).items()]  # doctest: +NORMALIZE_WHITESPACE
[('H', 'input'), ('B', 'query_weights'), ('C', 'key_weights'), ('q', 'queries'), ('k', 'keys'), ('A', 'weights'),
 ('Y', 'mixture')]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import prod
from types import MappingProxyType
from typing import Any

from sympy import Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix, preorder_traversal

from symattn import operations as ops
from symattn.operations.masks import Mask
from symattn.operations.node import Applied
from symattn.operations.stored import as_number
from symattn.read.plan import Plan
from symattn.show.roles.attention import attention, kept_weights, kernels, masks, mixtures, of_mixtures, side
from symattn.show.roles.by_hand import applied_to, averaged, centred, is_divided_by, norms_by_hand, sigmoids
from symattn.show.roles.model import Finder, FormulaPart, Purpose, bare, factors_of, is_ones, is_spread


def roles(
    plan: Plan, gradients: Collection[str] = (), labelled: Collection[str] = (), trained: Collection[str] = ()
) -> Mapping[str, Purpose]:
    """Return the role of every name of a plan, in its order; a step that no rule knows has the role of its operation.

    The entries along ``labelled`` axes have labels, as words and candidates have; ``trained`` are new weights. The
    formulas of ``gradients`` are not interpreted: Aᵀ ∂L/∂Y mixes rows like attention, but is not attention.
    """
    finder = Finder(plan, frozenset(gradients), frozenset(labelled))
    for name in gradients:
        derived = plan[name].derivative
        finder.found[name] = Purpose("jacobian" if derived is not None and derived.is_jacobian else "gradient")
    finder.found |= dict.fromkeys(trained, Purpose("trained"))
    for rule in RULES:
        rule(finder)
    return MappingProxyType({step.name: finder.found[step.name] for step in plan.steps})


# -- before attention --------------------------------------------------------------------------------------------


def embeddings(finder: Finder) -> None:
    """Mark rows of a table that are chosen by ids."""
    for name, node in finder.parts(MatMul):
        match factors_of(node):
            case (chosen, table) if isinstance(rows := finder.formula(chosen), ops.OneHot):
                finder.mark(chosen, "one_hot", "one_hot", ids=rows.args[0], table=table)
                finder.mark(rows.args[0], "ids")
                finder.mark(table, "table")
                if finder.formula(name) is node:
                    finder.mark(name, "embeddings", "embeddings", table=table)


def positions(finder: Finder) -> None:
    """Mark positions added to embeddings."""
    for name, node in finder.parts(MatAdd):
        if finder.formula(name) is not node or len(node.args) != 2:
            continue
        token, place = node.args
        if isinstance(finder.formula(place), ops.Sinusoidal) or _are_positions(finder, token, place):
            finder.mark(place, "positions")
            finder.mark(token, "embeddings")
            finder.mark(name, "placed", "placed", token=token, place=place)


def _are_positions(finder: Finder, token: FormulaPart, place: FormulaPart) -> bool:
    """Return whether a given is positions; formulas cannot tell two givens apart, so its name decides."""
    if not finder.is_given(place) or not (finder.is_given(token) or finder.kind(token) == "embeddings"):
        return False
    return str(place.name).casefold().startswith(("p", "pos"))


# -- after attention ---------------------------------------------------------------------------------------------

ACTIVATIONS = (ops.ReLU, ops.GELU, ops.GELUTanh, ops.SiLU, ops.ELU, ops.Tanh)


def feed_forward(finder: Finder) -> None:
    """Mark two linear layers with an activation between them, and perhaps a gate."""
    for name, node in finder.parts(ACTIVATIONS):
        if finder.formula(name) is not node:
            _layers(finder, node, node.args[0])
            continue
        if _is_difference(node.args[0]) and finder.projection(node.args[0]) is None:
            finder.mark(name, "function")  # the positive part of a margin is not a layer
            continue
        finder.mark(name, "activated")
        for gated, product in finder.parts(ops.Hadamard):
            inner = (node.args[0], *(arg for arg in product.args if arg != name))
            is_gated = name in product.args and finder.formula(gated) is product
            if is_gated and _layers(finder, gated, *inner):
                finder.mark(gated, "gated")
        _layers(finder, name, node.args[0])


def _layers(finder: Finder, activated: FormulaPart, *inner: FormulaPart) -> bool:
    """Mark two layers; return whether there are two: a second needs a first, which a state, as in an RNN, lacks."""
    second = [(name, found) for name, _ in finder.steps if (found := finder.projection(name)) and found.of == activated]
    first = [(node, found) for node in inner if (found := finder.projection(node))]
    for node, found in first:
        finder.mark_input(found.of)
        if second:
            finder.mark_projection(node, found, "hidden", "first_weights")
        finder.mark_bias(found)
    for name, found in second if first else ():
        finder.mark_projection(name, found, "second_layer", "second_weights")
    return bool(first and second)


def residuals(finder: Finder) -> None:
    """Mark a sum of a matrix and something computed from it."""
    for name, formula in finder.steps:
        if not isinstance(formula, MatAdd) or len(formula.args) != 2:
            continue
        for kept, change in (formula.args, formula.args[::-1]):
            is_kept = isinstance(kept, MatrixSymbol) and _rests_on(finder, change, str(kept.name))
            if is_kept and _is_of_layer(finder, change):
                finder.mark(name, "residual", "residual", kept=kept, change=change)
                finder.mark_input(kept)


LAYERS = frozenset(
    "attention_output mixture heads_joined weights second_layer activated gated hidden normalised residual".split()
)
"""The kinds that layers consist of: their changes are added back to their input."""


def _is_of_layer(finder: Finder, change: FormulaPart) -> bool:
    """Return whether a formula is computed from the kinds of layers, or applies an operation of layers."""
    kinds = {finder.kind(each) for each in change.atoms(MatrixSymbol)}
    applied = (*ACTIVATIONS, ops.Softmax, ops.LayerNorm, ops.RMSNorm)
    return not kinds.isdisjoint(LAYERS) or any(isinstance(each, applied) for each in preorder_traversal(change))


def _rests_on(finder: Finder, node: FormulaPart, name: str) -> bool:
    if bare(node) is not node:  # a training step is not a layer
        return False
    used = [str(each.name) for each in node.atoms(MatrixSymbol)]
    return name not in used and name in finder.plan.behind(used)


def norms(finder: Finder) -> None:
    for name, node in finder.parts((ops.LayerNorm, ops.RMSNorm)):
        if finder.formula(name) is node:
            finder.mark(name, "normalised")
        for learned, kind in ((node.gamma, "gain"), (getattr(node, "beta", None), "shift")):
            if learned is not None:
                finder.mark(learned, kind)


# -- probabilities and their uses --------------------------------------------------------------------------------


def chosen(finder: Finder) -> None:
    """Mark what is taken of probabilities, and the targets and answers."""
    for name, node in finder.parts(ops.Hadamard):
        probable = [arg for arg in node.args if finder.kind(arg) == "probabilities"]
        targets = [arg for arg in node.args if isinstance(finder.formula(arg), ops.OneHot)]
        few = [arg for arg in node.args if isinstance(finder.formula(arg), ops.TopK)]
        if probable and targets:
            finder.mark(targets[0], "targets")
            finder.mark(finder.formula(targets[0]).args[0], "answers")
            finder.mark(name, "target_probability", "target_probability", right=targets[0])
        elif probable and few and isinstance(finder.formula(name), ops.Proportions):
            finder.mark(name, "probabilities", "shared_again", few=few[0])


def losses(finder: Finder) -> None:
    for _, node in finder.parts(Applied):
        if applied_to(node, "cross_entropy") is not None:
            finder.mark(node.args[2], "answers")
    for name, formula in finder.steps:
        inner = bare(formula)
        if isinstance(inner, ops.Log) and _is_of_target(finder, inner.args[0]):
            finder.mark(name, "surprise", "surprise")
        factors = factors_of(inner)
        if len(factors) == 2 and is_ones(factors[0]) and finder.kind(factors[1]) == "surprise":
            finder.mark(name, "loss", "loss", of=factors[1])
        if isinstance(formula, ops.Exp) and _is_mean_surprise(finder, formula.args[0]):
            finder.mark(name, "perplexity", "perplexity")


def _is_mean_surprise(finder: Finder, node: FormulaPart) -> bool:
    """Return whether this is −ln p of one right answer, or the mean of −ln of a row of numbers or of several rows."""
    if finder.kind(node) in ("loss", "surprise") or applied_to(finder.formula(node), "cross_entropy") is not None:
        return True
    while (inner := averaged(finder, node)) is not None:
        node = inner.args[0] if isinstance(inner, Transpose) else inner
        formula = finder.formula(node)
        if isinstance(formula, MatMul) and formula.args[0] == -1 and isinstance(bare(formula), ops.Log):
            return True
    return False


def _is_of_target(finder: Finder, node: FormulaPart) -> bool:
    """Return whether this is the probability of the right answer: picked by a row with a single 1, or by its place."""
    picked = finder.formula(node)
    if isinstance(picked, ops.Picked) and finder.kind(picked.args[0]) == "probabilities":
        finder.mark(node, "target_probability")
        return True
    return finder.kind(node) == "target_probability"


# -- the rest ----------------------------------------------------------------------------------------------------


def compared_with_itself(finder: Finder) -> None:
    """Mark X Xᵀ and Xᵀ X that no softmax uses."""
    for name, formula in finder.steps:
        match factors_of(bare(formula)):
            case (left, right) if finder.turned(right) == left:
                finder.mark(name, "self_comparison", "self_comparison", of=left)
                finder.mark_input(left)
            case (left, right) if finder.turned(left) == right and right.shape[1] != 1:
                finder.mark(name, "column_comparison", "column_comparison", of=right)
            case (node,) if isinstance(node, ops.Dot) and node.args[0] == node.args[1] and node.args[0].shape[0] != 1:
                finder.mark(name, "self_comparison", "self_comparison", of=node.args[0])
                finder.mark_input(node.args[0])


def compared_by_root(finder: Finder) -> None:
    """Mark Q Kᵀ / √d of a softmax that is computed in parts."""
    for name, node in finder.parts(ops.Quotient | ops.Hadamard):
        *left, right = factors_of(bare(node))
        if len(left) == 1 and finder.by_root(node) and (keys := finder.turned(right)) is not None:
            if finder.formula(name) is node:
                scaled = "_scaled" * finder.by_width(node, left[0])
                finder.mark(name, "comparison", f"comparison{scaled}", queries=left[0], keys=keys)
            if left[0] == keys:
                finder.mark_input(keys)
                continue
            side(finder, left[0], "queries", "query_weights")
            side(finder, keys, "keys", "key_weights")


def sums(finder: Finder) -> None:
    """Mark sums and means of rows, of columns, of several matrices, and shares that are computed in parts."""
    for name, formula in finder.steps:
        inner = bare(formula)
        if centred(finder, name)[0] is not None:
            finder.mark(name, "moved", "moved")
        elif len(factors_of(inner)) > 1 and any(map(is_ones, factors_of(inner))) and inner is formula:
            finder.mark(name, _of_one(finder, name, "sums"))
        elif inner is not formula and is_divided_by(finder, formula, _added_up(inner)):
            finder.mark(name, _of_one(finder, name, "means"))
        elif isinstance(formula, ops.EntryQuotient) and isinstance(formula.args[0], ops.Exp):
            finder.mark(name, "shares")


def _added_up(node: FormulaPart) -> int:
    """Return how many terms a sum has: its own, or those that ones multiply; 0 for any other formula."""
    if isinstance(node, MatAdd):
        return 0 if any(_is_negative(term) or is_spread(term) for term in node.args) else len(node.args)
    factors = factors_of(node)
    ones = [each.shape[0 if place else 1] for place, each in enumerate(factors) if is_ones(each)]
    return prod(ones) if ones and len(factors) > 1 else 0


def _is_negative(node: FormulaPart) -> bool:
    return isinstance(node, MatMul) and bool(node.args[0].could_extract_minus_sign())


def _is_difference(node: FormulaPart) -> bool:
    return isinstance(node, MatAdd) and len(node.args) == 2 and _is_negative(node.args[1])


def operands(finder: Finder) -> None:
    """Mark a given that is the input of a single layer."""
    for _, node in finder.parts((ops.LayerNorm, ops.RMSNorm, *ACTIVATIONS)):
        finder.mark_input(node.args[0])


def scored(finder: Finder) -> None:
    """Mark the argument of a softmax as scores if nothing else is known, unless it is negative, as for distances."""
    for _, node in finder.parts(ops.Softmax):
        if not _is_negative(node.args[0]):
            finder.mark(bare(node.args[0]), "scores")


ALONE: Mapping[type, str] = MappingProxyType(
    {
        MatMul: "product",
        MatPow: "product",
        MatAdd: "sum",
        MatrixSymbol: "copy",
        Transpose: "turned",
        Identity: "constant",
        OneMatrix: "constant",
        ZeroMatrix: "constant",
        ops.Quotient: "multiple",
        ops.EntryQuotient: "quotient",
        ops.Hadamard: "entrywise",
        ops.Softmax: "shares",
        ops.Proportions: "shares",
        ops.Sinusoidal: "positions",
        ops.Distance: "distances",
        ops.Rotary: "rotated",
        ops.LayerNorm: "normalised",
        ops.RMSNorm: "normalised",
        ops.UnitRows: "unit",
        ops.ClipNorm: "clipped",
        **dict.fromkeys(ACTIVATIONS, "activated"),
        ops.Exp: "exponentials",
        ops.Log: "logarithms",
        ops.Broadcast: "bias_rows",
        **dict.fromkeys((ops.Picked, ops.Row, ops.Rows, ops.Head), "part"),
        **dict.fromkeys((ops.Concat, ops.Stack), "joined"),
        ops.OneHot: "one_hot",
        ops.Keep: "kept",
        ops.Dot: "dots",
        ops.Cosine: "cosines",
        ops.Angle: "angles",
        ops.AdditiveScores: "comparison",
        ops.RowNorm: "lengths",
        ops.RowMax: "largest",
        ops.Entropy: "entropies",
        ops.ArgMax: "choice",
        ops.TopK: "candidates",
        Applied: "function",
    }
)
"""The kinds of steps that no rule knows: the results of their operations."""


BY_NAME: Mapping[str, str] = MappingProxyType({"row_sum": "sums", "row_mean": "means", "row_var": "variances"})
"""The kinds of results of operations without a class."""

OF_ENTRIES = frozenset(
    ("product", "sum", "difference", "multiple", "quotient", "entrywise", "function", "part", "copy", "turned")
)
"""The kinds that describe the entries of a matrix: for a single number they are a number."""

OF_MANY = frozenset(
    ("sums", "means", "dots", "lengths", "largest", "exponentials", "logarithms", "cosines", "angles", "function")
)
"""The kinds that have several entries: a matrix with one row and one column is a number."""

OPERATIONS = frozenset(ALONE.values()) - frozenset(
    ("shares", "positions", "normalised", "activated", "bias_rows", "one_hot", "comparison", "choice", "candidates")
) | {"given", "general", "sums", "means", "variances", "number", "difference", "trained"}
"""The kinds that only say how a matrix is made."""

SAY_NOTHING = OPERATIONS - {"rotated", "clipped", "entropies", "distances", "variances"} | frozenset(
    ("score_bias", "exponentials", "largest", "candidates")
)
"""The kinds without a meaning for a table of letters."""

SAY_LITTLE = OPERATIONS | {"unbiased", "bias_rows", "score_bias", "picked", "exponentials", "largest", "moved"}
"""The kinds that a long table can leave out."""


def _alone(finder: Finder, name: FormulaPart, formula: FormulaPart) -> str:
    """Return the kind that an operation makes: of columns as of rows; for entries of a single number, a number."""
    if masks(finder, name):
        return "mask"
    if isinstance(formula, Mask):
        return "score_bias"
    if averaged(finder, formula) is not None:
        return _of_one(finder, name, "means")
    if isinstance(formula, Transpose) and (isinstance(formula.args[0], Applied) or _is_of_columns(formula.args[0])):
        formula = formula.args[0]
    is_multiple = isinstance(formula, MatMul) and bare(formula) is not formula
    kind = "multiple" if is_multiple else "difference" if _is_difference(formula) else ALONE[type(formula)]
    if finder.plan[str(name.name)].shape.ndim == 0 and (kind in OF_ENTRIES or as_number(formula) is not None):
        return "number"
    by_name = (kind for called, kind in BY_NAME.items() if applied_to(formula, called) is not None)
    return _of_one(finder, name, next(by_name, kind))


def _is_of_columns(node: FormulaPart) -> bool:
    """Return whether the rows of a transpose are operated on: transposed again, these are columns."""
    return not isinstance(node, MatMul | MatAdd) and bool(node.args) and isinstance(node.args[0], Transpose)


def _of_one(finder: Finder, name: FormulaPart, kind: str) -> str:
    """Return a kind, or "number" if a kind with several entries has only one here."""
    return "number" if kind in OF_MANY and finder.plan[str(name.name)].shape.sizes == (1, 1) else kind


def alone(finder: Finder) -> None:
    """Mark the operation of a step with no other role, and givens as such."""
    for name, formula in finder.steps:
        if ops.numbers_listed(formula) is None or as_number(formula) is not None:
            finder.mark(name, _alone(finder, name, formula))
    for step in finder.plan.steps:
        finder.found.setdefault(step.name, Purpose("general" if step.general else "given"))


RULES: tuple[Callable[[Finder], Any], ...] = (
    embeddings,
    positions,
    attention,
    kernels,
    kept_weights,
    mixtures,
    of_mixtures,
    feed_forward,
    residuals,
    norms,
    norms_by_hand,
    sigmoids,
    chosen,
    losses,
    compared_with_itself,
    compared_by_root,
    sums,
    operands,
    scored,
    alone,
)
"""The rules, the most reliable first."""
