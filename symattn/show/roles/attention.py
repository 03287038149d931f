"""The rules of attention: the operand of a softmax, the matrix that its result multiplies, the steps behind both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from sympy import MatAdd, MatMul, MatrixSymbol, OneMatrix, Transpose

from symattn import operations as ops
from symattn.base.remembered import reached
from symattn.operations.masks import Mask
from symattn.operations.node import Applied
from symattn.show.roles.by_hand import applied_to, is_share, mixed_one_by_one, shared
from symattn.show.roles.model import Finder, FormulaPart, bare, factors_of, is_ones, is_spread, part_of

SHARING = (ops.Softmax, ops.Proportions)
PAIRS = (ops.Dot, ops.Cosine, ops.AdditiveScores)
WEIGHTS = ("weights", "weights_kept", "weights_mean")
NO_ORDER = ("power", "abs", "cos", "sin", "tan")
"""Functions that do not keep the order of scores."""


@dataclass
class _Scores:
    """The steps behind the scores of one softmax."""

    finder: Finder
    pairs: list[tuple[FormulaPart, FormulaPart]] = field(default_factory=list)
    """The pairs of compared matrices."""
    layers: list[FormulaPart] = field(default_factory=list)
    """Names and formulas of a linear layer: scores of words, not of pairs."""
    stages: dict[FormulaPart, FormulaPart] = field(default_factory=dict)
    """The names on the way, from the softmax down, each with its formula."""
    turned: set[FormulaPart] = field(default_factory=set)
    """Those in which every column is a query."""

    def follow(self, node: FormulaPart) -> None:
        """Follow scores down to the compared matrices; if transposed before the softmax, the columns are queries."""
        for _ in reached([(node, False)], lambda part: self._after(*part)):
            pass

    def _after(self, node: FormulaPart, is_turned: bool) -> list[tuple[FormulaPart, bool]]:
        if isinstance(node, Transpose):
            return [(node.args[0], not is_turned)]
        return [(inner, is_turned) for inner in self._behind(node, is_turned)]

    def _behind(self, node: FormulaPart, is_turned: bool) -> list[FormulaPart]:
        """Return the parts that scores come from, and note the compared matrices."""
        finder, start = self.finder, node
        if isinstance(node, MatrixSymbol) and node not in self.stages:
            formula = finder.formula(node)
            if isinstance(formula, ops.Distance | ops.Broadcast) or masks(finder, node):
                return []
            self.stages[node] = formula
            self.turned |= {node} if is_turned else set()
            node = formula
        if isinstance(node, PAIRS):
            self._pair(node.args[0], node.args[1], is_turned)
        elif finder.projection(node):
            self.layers.append(start)
        elif isinstance(bare(node), MatMul):
            *left, right = factors_of(bare(node))
            is_weighed = isinstance(finder.formula(left[0]), ops.Tanh)  # additive scores by hand
            if (compared := finder.turned(right)) is not None and not is_ones(left[0]) and not is_weighed:
                self._pair(left[0] if len(left) == 1 else MatMul(*left, evaluate=False), compared, is_turned)
        elif bare(node) is not node:
            return [bare(node)]
        elif isinstance(node, MatAdd):
            is_made = any(not finder.is_given(term) and not is_spread(term) for term in node.args)
            for term in (beside := [term for term in node.args if is_made and finder.is_given(term)]):
                finder.mark(term, "score_bias")
            return [term for term in node.args if term not in beside]
        elif isinstance(node, ops.Keep | ops.Row | ops.Rows | ops.Head | ops.Exp):
            return [node.args[0]]
        elif isinstance(node, Transpose):
            return [node]
        elif isinstance(node, Applied) and applied_to(node, *NO_ORDER) is None:
            return [arg for arg in node.args[1:] if arg.is_Matrix and arg.shape == node.shape]
        return []

    def _pair(self, left: FormulaPart, right: FormulaPart, is_turned: bool) -> None:
        self.pairs.append((right, left) if is_turned else (left, right))

    @property
    def is_tied(self) -> bool:
        """Whether rows are compared with a table of embeddings: scores of words."""
        return any(self.finder.kind(right) == "table" for _, right in self.pairs)


def attention(finder: Finder) -> None:
    """Mark every softmax: its scores, and whether its shares are attention or probabilities."""
    others = []
    for name, node in finder.parts((*SHARING, ops.EntryQuotient)):
        if (shown := shared(finder, node)) is None:
            continue
        scores = _Scores(finder)
        for part in finder.formula(node.args[1]).args if is_share(finder, node) else (shown,):
            scores.follow(part)
        if not isinstance(node, ops.Softmax) and scores.stages and not any(scores.stages.values()):
            continue  # shares of given numbers, as for a mean of neighbours
        result = name if finder.formula(name) is node else None
        if scores.is_tied or not _is_attention(finder, scores, result, node):
            others.append((node, scores, result))
        else:
            _attends(finder, node, scores, result)
    for node, scores, result in others:
        if not scores.is_tied and any("queries" in finder.kind(left) for left, _ in scores.pairs):
            _attends(finder, node, scores, result)  # the same queries as those of another softmax
        elif result is not None and _is_gate(finder, result):
            _shares_of_given(finder, result, scores, "shares")
        elif scores.is_tied or (scores.layers and _predicted(finder, scores, result)):
            _predicts(finder, scores, result)
        elif not isinstance(node, ops.Proportions) and result is not None:
            _of_given_scores(finder, scores, result)
        for stage, formula in scores.stages.items():
            if isinstance(formula, MatAdd) and _is_moved(formula):
                finder.mark(stage, "moved", "moved")


def _attends(finder: Finder, node: FormulaPart, scores: _Scores, result: FormulaPart) -> None:
    """Mark shares that are attention, and the steps behind them."""
    _stages(finder, scores)
    if result is not None:
        finder.mark(result, *_kind_of_shares(finder, node))
    for left, right in scores.pairs:
        _compared(finder, left, right)


def _kind_of_shares(finder: Finder, node: FormulaPart) -> tuple[str, str]:
    """Return the kind of shares of attention, and the reason: rows of a softmax, of exponentials, or a single share."""
    if is_share(finder, node):
        return "share", "share"
    return "weights", "weights" if isinstance(node, ops.Softmax) else "weights_by_hand"


def _is_attention(finder: Finder, scores: _Scores, result: FormulaPart, node: FormulaPart) -> bool:
    """Return whether shares are attention: rows are compared, and then mixed, or known to be queries and keys."""
    if not scores.pairs:
        return _mixes(finder, result, node) and _is_square(node)
    are_projected = any(_is_projected(finder, left) and _is_projected(finder, right) for left, right in scores.pairs)
    behind = [each for each in (node.args[0], *scores.stages.values()) if each is not None]
    terms = chain.from_iterable(each.args if isinstance(each, MatAdd) else (each,) for each in behind)
    are_scaled = any(map(finder.by_root, terms))
    is_one_query = len(scores.pairs) > len({left for left, _ in scores.pairs})
    is_itself = any(left == right for left, right in scores.pairs)
    return are_projected or are_scaled or is_one_query or is_itself or _mixes(finder, result, node)


def _is_projected(finder: Finder, node: FormulaPart) -> bool:
    """Return whether rows are a projection of others, even with operations on each row after it."""
    while node is not None and finder.projection(node) is None:
        formula = finder.formula(node)
        is_positive = isinstance(formula, MatAdd) and isinstance(formula.args[0], ops.ELU)
        node = formula.args[0] if is_positive or isinstance(formula, (*_OF_ROWS, ops.Head, ops.ELU)) else None
    return node is not None


def _is_chosen_from(finder: Finder, result: FormulaPart) -> bool:
    """Return whether a choice is made by shares, or the share of a right answer is taken from them."""
    asked = [node for _, node in finder.parts((ops.ArgMax, ops.TopK, ops.Hadamard)) if result in node.args]
    hot = [arg for node in asked for arg in node.args if isinstance(finder.formula(arg), ops.OneHot)]
    picked = any(
        isinstance(node.args[0], ops.Picked) and result in node.args[0].args for _, node in finder.parts(ops.Log)
    )
    return bool(hot) or picked or any(not isinstance(node, ops.Hadamard) for node in asked)


def _predicted(finder: Finder, scores: _Scores, result: FormulaPart) -> bool:
    """Return whether the columns of a layer are candidates: labelled, chosen from, or judged by a loss."""
    if result is not None and (_is_chosen_from(finder, result) or finder.has_candidates(result)):
        return True
    layers = {*scores.layers, *scores.stages}
    return any(applied_to(node, "cross_entropy") in layers for _, node in finder.parts(Applied))


def _is_gate(finder: Finder, shares: FormulaPart) -> bool:
    """Return whether shares, or results of them alone, multiply another computed matrix entry by entry."""
    of_shares = {shares}
    for name, formula in finder.steps:
        if formula.atoms(MatrixSymbol) and formula.atoms(MatrixSymbol) <= of_shares:
            of_shares.add(name)
    for _, node in finder.parts(ops.Hadamard):
        first, second = (each.atoms(MatrixSymbol) for each in node.args)
        for gate, gated in ((first, second), (second, first)):
            made = [name for name in gated if not isinstance(finder.formula(name), ops.OneHot | None)]
            if gate and gate <= of_shares and made and of_shares.isdisjoint(gated):
                return True
    return False


def _of_given_scores(finder: Finder, scores: _Scores, result: FormulaPart) -> None:
    """Mark shares of other scores by their use: chosen from, attention of tokens to themselves, or plain shares."""
    is_choice = _is_chosen_from(finder, result)
    kind = "probabilities" if is_choice else "weights" if finder.attends_to_itself(result) else "shares"
    _shares_of_given(finder, result, scores, kind)


def _shares_of_given(finder: Finder, result: FormulaPart, scores: _Scores, kind: str) -> None:
    """Mark shares, and the given numbers behind them."""
    finder.mark(result, kind, "" if kind == "shares" else kind)
    for stage, formula in scores.stages.items():
        if formula is None:
            finder.mark(stage, "logits" if kind == "probabilities" else "scores")


def _mixes(finder: Finder, result: FormulaPart, node: FormulaPart) -> bool:
    """Return whether shares multiply a matrix from the left that is more than ones."""
    heads = [factors_of(product) for _, product in finder.parts(MatMul)]
    return any(len(each) > 1 and each[0] in (result, node) and not is_ones(each[1]) for each in heads)


def _is_square(node: FormulaPart) -> bool:
    """Return whether there are as many rows as columns, as if words attend to each other."""
    return bool(node.shape[0] == node.shape[1] != 1)


def _stages(finder: Finder, scores: _Scores) -> None:
    """Mark each name between comparison and softmax."""
    for name, formula in scores.stages.items():
        if formula is None:
            finder.mark(name, "scores")
            continue
        inner = bare(formula)
        *left, right = factors_of(inner)
        if isinstance(inner, PAIRS) or (left and finder.turned(right) is not None):
            _comparison(finder, name, formula, name in scores.turned)
        elif inner is not formula and isinstance(inner, MatrixSymbol):
            finder.mark(name, "scaled", "scaled" * any(finder.by_width(formula, x) for x, _ in scores.pairs), of=inner)
        elif isinstance(inner, MatAdd):
            _added(finder, name, inner)
        elif isinstance(inner, ops.Exp):
            finder.mark(name, "exponentials")
        elif isinstance(inner, Applied | Transpose):
            finder.mark(name, "scores")


def _comparison(finder: Finder, name: FormulaPart, formula: FormulaPart, is_turned: bool) -> None:
    inner = bare(formula)
    left, right = inner.args[:2] if isinstance(inner, PAIRS) else (None, None)
    if left is None:
        *first, last = factors_of(inner)
        left, right = (first[0] if len(first) == 1 else MatMul(*first, evaluate=False)), finder.turned(last)
        finder.mark(last, "keys_turned", "keys_turned", of=right)
    scaled = "_scaled" * finder.by_width(formula, left)
    left, right = (right, left) if is_turned else (left, right)
    if left == right:
        finder.mark(name, "self_comparison", f"self_comparison{scaled}", of=left)
    elif isinstance(inner, ops.AdditiveScores):
        finder.mark(name, "comparison")
        finder.mark(inner.args[2], "score_weights")
    else:
        of_two = "one_" * (isinstance(inner, ops.Dot) and inner.shape == (1, 1))
        finder.mark(name, "comparison", f"{of_two}comparison{scaled}", queries=left, keys=right)


def _added(finder: Finder, name: FormulaPart, formula: FormulaPart) -> None:
    """Mark a sum of scores and something else: a mask, a distance, a number for each row."""
    for term in formula.args:
        inner = bare(term)
        inner = inner.argument if isinstance(inner, ops.InEveryRow) else inner
        stands_for = finder.formula(inner) if isinstance(inner, MatrixSymbol) else inner
        if hidden := masks(finder, inner):
            for mask in hidden:
                finder.mark(mask, "mask")
            finder.mark(name, "masked", "masked", mask=inner)
        elif isinstance(stands_for, ops.Distance):
            finder.mark(inner, "distances")
            finder.mark(name, "biased", "biased", distances=inner)
        elif _is_moved(formula):
            finder.mark(name, "moved", "moved")
        elif stands_for is None:
            finder.mark(inner, "score_bias")
            finder.mark(name, "scores")


def _is_moved(formula: FormulaPart) -> bool:
    """Return whether a formula adds one number to each row of a matrix."""
    others = [each for each in formula.args if not is_spread(bare(each))]
    return len(formula.args) == 2 and len(others) == 1 and not any(map(is_ones, factors_of(bare(others[0]))))


def masks(finder: Finder, node: FormulaPart) -> tuple[FormulaPart, ...]:
    """Return a mask, and the masks that it is the sum of or has rows of; empty if anything else is part of it."""

    def parts(node: FormulaPart) -> tuple[FormulaPart, ...]:
        formula = finder.formula(node)
        return (
            formula.args if isinstance(formula, MatAdd) else formula.args[:1] if isinstance(formula, ops.Rows) else ()
        )

    found = tuple(reached([node], parts))
    made = [formula for each in found if not isinstance(formula := finder.formula(each), MatAdd | ops.Rows)]
    return found if all(isinstance(formula, Mask) and formula.is_hiding for formula in made) else ()


def _compared(finder: Finder, left: FormulaPart, right: FormulaPart) -> None:
    if part_of(left) == right:  # a row of a matrix that is compared with all of its rows
        finder.mark_input(right)
    else:
        side(finder, left, "queries", "query_weights")
        side(finder, right, "keys", "key_weights")


def side(finder: Finder, node: FormulaPart, kind: str, weights: str) -> None:
    """Mark queries, keys or values, and the steps behind them, down to the input."""
    for _ in reached([node], lambda part: _one_of_side(finder, part, kind, weights)):
        pass


def _one_of_side(finder: Finder, node: FormulaPart, kind: str, weights: str) -> Sequence[FormulaPart]:
    """Mark one name of a side, and return the names to mark next."""
    formula = finder.formula(node)
    if not finder.is_given(node) and _makes_sides(finder, node):
        return ()
    if found := finder.projection(node):
        finder.mark_projection(node, found, kind, weights)
    elif formula is None:
        finder.mark(node, kind)
    elif isinstance(formula, MatAdd) and isinstance(formula.args[0], ops.ELU) and is_ones(formula.args[-1]):
        finder.mark(node, "features", "features", of=formula.args[0].args[0])
        return (formula.args[0].args[0],)
    elif isinstance(formula, ops.Head):
        finder.mark(node, f"head_{kind}")
        return (formula.args[0],)
    elif isinstance(formula, ops.Stack):
        finder.mark(node, kind)
        are_given = all(map(finder.is_given, formula.args))
        cached = [] if are_given else [part for part in formula.args if finder.is_given(part)]
        for part in cached:
            finder.mark(part, "cache")
        return [part for part in formula.args if part not in cached]
    elif isinstance(formula, MatrixSymbol):
        finder.mark(node, kind)
        return (formula,)
    elif isinstance(formula, _OF_ROWS) or _are_turned(formula):
        finder.mark(node, kind)
        return (formula.args[0],)
    return ()


def _makes_sides(finder: Finder, node: FormulaPart) -> bool:
    """Return whether queries, keys or values are projected from a name, so that it is none of them itself."""
    sides = (name for name, _ in finder.steps if finder.kind(name) in ("queries", "keys", "values"))
    return any((found := finder.projection(name)) is not None and found.of == node for name in sides)


_OF_ROWS = (ops.Rotary, ops.UnitRows, ops.Rows, ops.Row, Transpose, ops.RMSNorm, ops.LayerNorm)
"""Operations after which rows keep their purpose."""


def _are_turned(formula: FormulaPart) -> bool:
    """Return whether all heads are rotated by their positions, each by itself."""
    return isinstance(formula, ops.Concat) and all(isinstance(part, ops.Rotary) for part in formula.args)


def _predicts(finder: Finder, scores: _Scores, result: FormulaPart) -> None:
    """Mark scores of words and their probabilities."""
    if result is not None:
        finder.mark(result, "probabilities", "probabilities")
    for layer in scores.layers:
        found = finder.projection(layer)
        assert found is not None
        finder.mark_projection(layer, found, "logits", "vocabulary_weights")
        if isinstance(finder.formula(found.of), ops.Row):
            finder.mark(found.of, "picked")
    for name in scores.stages:
        finder.mark(name, "logits")


# -- uses of weights ---------------------------------------------------------------------------------------------


def kernels(finder: Finder) -> None:
    """Mark keys times values first, and the queries after: attention without a softmax."""
    for name, node in finder.parts(MatMul):
        match factors_of(node):
            case (left, values) if (keys := finder.turned(left)) and values not in (keys, OneMatrix(*values.shape)):
                asked = ((n, factors_of(p)) for n, p in finder.parts(MatMul))
                used = [(n, each) for n, each in asked if each[1:] == (name,) and finder.may_ask(each[0])]
                adds_up = keys.shape[0] != 1  # one key gives no sum: the words before are in the state
                for mixed, (asking, _) in used:
                    kind, why = ("key_value", "mixed_at_once") if adds_up else ("state", "")
                    finder.mark(name, kind, "key_value" * adds_up, keys=keys, values=values)
                    side(finder, asking, "queries", "query_weights")
                    side(finder, keys, "keys", "key_weights")
                    side(finder, values, "values", "value_weights")
                    finder.mark(mixed, "mixture", why, sums=name)
    for name, formula in finder.steps:
        if isinstance(formula, ops.EntryQuotient) and finder.kind(formula.args[0]) == "mixture":
            finder.mark(name, "mixture", "divided_mixture", of=formula.args[0])


def kept_weights(finder: Finder) -> None:
    """Mark weights that are partly hidden and shared out again, and the mean of those of several heads."""
    for name, formula in finder.steps:
        if isinstance(formula, ops.Keep) and isinstance(formula.args[0], MatrixSymbol):
            finder.mark(formula.args[0], "weights")
            finder.mark(formula.args[1], "mask")
            finder.mark(name, "weights_kept")
    for name, formula in finder.steps:
        inner = bare(formula)
        if isinstance(formula, ops.Proportions) and finder.kind(formula.args[0]) == "weights_kept":
            finder.mark(name, "weights", "weights_again", kept=formula.args[0])
        elif isinstance(formula, ops.Row) and finder.kind(formula.args[0]) in WEIGHTS:
            finder.mark(name, "weights_row", "weights_row", of=formula.args[0])
        elif isinstance(inner, MatAdd) and inner is not formula and all(finder.kind(x) in WEIGHTS for x in inner.args):
            finder.mark(name, "weights_mean", "weights_mean")


def mixtures(finder: Finder) -> None:
    """Mark the matrices that weights multiply as values, and the products as mixtures."""
    for name, node in finder.parts(MatMul):
        weights, *others = factors_of(node)
        if not others or is_ones(others[0]) or not _are_weights(finder, weights):
            continue
        values = others[0]
        if len(others) == 1 and bare(finder.formula(name)) is node:
            finder.mark(name, "mixture", "mixture", weights=weights, values=values)
        if finder.is_compared_with_itself(values):
            finder.mark_input(values)  # one role for all three: queries, keys and values are the same rows
        elif finder.kind(values) != "input":
            side(finder, values, "values", "value_weights")
    for name, formula in finder.steps:
        if vectors := tuple(mixed_one_by_one(finder, formula)):
            finder.mark(name, "mixture", "mixed_one_by_one")
            for vector in vectors:
                side(finder, vector, "values", "value_weights")


def _are_weights(finder: Finder, node: FormulaPart) -> bool:
    return finder.kind(node) in WEIGHTS or isinstance(node, SHARING)


def _mixed(finder: Finder, node: FormulaPart) -> bool:
    first, *_, last = factors_of(node) * 2
    return isinstance(node, MatMul) and _are_weights(finder, first) and not _are_weights(finder, last)


def of_mixtures(finder: Finder) -> None:
    """Mark joined heads, and the layer that mixes their results."""
    for name, formula in finder.steps:
        if isinstance(formula, ops.Concat) and all(finder.kind(part) == "mixture" for part in formula.args):
            finder.mark(name, "heads_joined", "heads_joined")
    for name, _ in finder.steps:
        found = finder.projection(name)
        if found and (finder.kind(found.of) in ("mixture", "heads_joined") or _mixed(finder, found.of)):
            finder.mark_projection(name, found, "attention_output", "output_weights")
