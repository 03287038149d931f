"""What may have been done with what is known: families of candidates, the likely ones first.

A family is one operation, or one of the usual chains, on all operands whose shapes fit. What words and names speak of
costs nothing to say, and everything else as many bits as it is seldom.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product as pairs_of
from typing import Any

import numpy as np

from symattn.base.remembered import cached_property
from symattn.checking.following.recipes import RecipeStep, Target
from symattn.checking.following.rules import RULES
from symattn.checking.following.spoken import (
    CONTEXT,
    EPSILONS,
    GRADIENT,
    INPUT,
    KEY,
    MATRIX,
    QUERY,
    READY,
    SCORES,
    VALUE,
    WEIGHTS,
    SpokenOf,
    said_of,
)
from symattn.checking.following.stacks import (
    LARGE,
    CandidateStack,
    KnownGround,
    alone,
    applied,
    by_epsilon,
    by_number,
    different,
    joined,
    paired,
    summed,
    with_gamma,
    worked_out,
)

MOST = 4096
"""How many candidates of one shape go on to the next operation of a chain."""

ENTRYWISE = (
    "exp", "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "square", "root", "log", "neg_log",
)  # fmt: skip
ROWWISE = ("shifted", "centred", "unit", "log_softmax")
REDUCING = ("row_sum", "row_mean", "norm", "row_max", "entropy", "argmax")


@dataclass(frozen=True, eq=False)
class Families:
    """The families of candidates for one target among what is known."""

    ground: KnownGround
    target: Target
    wanted: SpokenOf

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the target."""
        return self.target.values.shape[0], self.target.values.shape[1]

    def all(self) -> Iterator[CandidateStack]:
        """All families, the likely and quick ones first."""
        yield from self.copies()
        yield from self.before_softmax()
        yield from self.weights()
        yield from self.products()
        yield from self.sums()
        yield from self.entry_by_entry()
        yield from self.norms()
        yield from self.of_rows()
        yield from self.by_positions()
        yield from self.chains()
        yield from self.outputs()
        yield from self.of_numbers()
        yield from self.seldom()

    def fits(self, shape: tuple[int, int]) -> bool:
        """Whether a matrix of a shape can be the target, or one of its rows or entries is."""
        if shape == self.shape:
            return True
        if self.shape == (1, 1):
            return shape[0] * shape[1] <= 36
        return self.shape[0] == 1 and shape[1] == self.shape[1]

    def bases(self, roles: frozenset[str] = SCORES, most: int = 24) -> list[CandidateStack]:
        """What is known that has a shape that fits."""
        kept = most if self.shape != (1, 1) else 8
        found = (self.ground.stack(shape, roles, kept) for shape in self.ground.shapes if self.fits(shape))
        return [each for each in found if each is not None]

    def priced(self, name: str, to: CandidateStack, **numbers: Any) -> CandidateStack:
        """An operation on each, with what it costs to say it."""
        return applied(name, to, self.wanted.price(name), **numbers)

    def copies(self) -> Iterator[CandidateStack]:
        """The same once more: the whole, a row, an entry, its transpose, the columns of a head, two heads together."""
        rows, columns = self.shape
        price = self.wanted.price("copy")
        for shape in self.ground.shapes:
            is_wider = shape[0] == rows and shape[1] > columns > 1 and shape[1] % columns == 0
            found = self.ground.stack(shape, frozenset(self.target.roles)) if self.fits(shape) or is_wider else None
            if found is not None:
                yield CandidateStack(found.values, found.cost + price, found.of)
        turned = self.ground.stack((columns, rows)) if rows > 1 and columns > 1 else None
        if turned is not None:
            yield self.priced("transposed", turned)
        for wide in range(1, columns if rows * columns > 1 else 0):
            left, right = self.ground.stack((rows, wide), most=6), self.ground.stack((rows, columns - wide), most=6)
            if left is not None and right is not None:
                yield paired("concat", left, right, self.wanted.price("concat"))

    def scaled(self, stack: CandidateStack, width: int | None) -> CandidateStack:
        """Scores as they are, and divided by what they may be divided by; ``width`` is that of queries, if known."""
        found = [stack]
        widths = [width] if width else sorted({shape[1] for shape in self.ground.shapes if shape[1] > 1})[:6]
        for each in widths:
            found.append(applied("over_root", stack, self.wanted.price("over_root") + np.log2(len(widths)), n=each))
        if width is None:
            found += self._by_numbers(stack)
        return joined(found) or stack

    def _by_numbers(self, stack: CandidateStack) -> Iterator[CandidateStack]:
        for i, number in enumerate(self.ground.numbers()):
            value = float(number.values[0, 0])
            cost = self.wanted.price("over_root_of") + float(np.log2(i + 1))
            if value > 0 and value != 1:
                yield by_number("quotient", stack, number, cost)
                if np.isfinite(value) and value == int(value):
                    yield by_number("over_root_of", stack, number, cost)

    def masked(self, stack: CandidateStack) -> CandidateStack:
        """Scores as they are, and with a mask: the usual one, and the one that the target shows."""
        found = [stack]
        if stack.shape[0] == stack.shape[1] > 1:
            found.append(self.priced("causal", stack))
        hidden = self.zeros
        if hidden and stack.shape == self.shape:
            found.append(self.priced("masked", stack, at=hidden))
        return joined(found) or stack

    @cached_property
    def zeros(self) -> frozenset[tuple[int, int]]:
        """Where the target shows that something is masked, if no row is masked as a whole."""
        values = self.target.values
        at = (values == 0) | (values < -1e3)
        if not at.any() or at.all(axis=1).any():
            return frozenset()
        return frozenset((int(i), int(j)) for i, j in zip(*np.nonzero(at), strict=True))

    def before_softmax(self) -> Iterator[CandidateStack]:
        """What scores become before softmax: scaled, masked, both."""
        for shape in self.ground.shapes:
            if self.fits(shape):
                yield from self.scores_of(shape)

    def scores_of(self, shape: tuple[int, int]) -> Iterator[CandidateStack]:
        """What may be handed to softmax: scores with or without scaling and mask, which they may have had already."""
        most = 24 if self.shape != (1, 1) else 8
        raw = self.ground.stack(shape, SCORES, most, without=READY)
        ready = self.ground.stack(shape, SCORES, most, among=READY)
        if ready is not None:
            yield self.masked(ready)
        if raw is not None:
            yield self.masked(self.scaled(raw, None))

    def weights(self) -> Iterator[CandidateStack]:
        """What shares are made of known scores: softmax, with or without scaling and mask; parts of a sum."""
        for shape in self.ground.shapes:
            if self.fits(shape) and shape[1] > 1:
                for scores in self.scores_of(shape):
                    yield from self.shares(scores)
                stack = self.ground.stack(shape, SCORES)
                if stack is not None:
                    yield self.priced("proportions", stack)
                shares = self.ground.stack(shape, WEIGHTS, 6) if shape[0] == shape[1] and self.zeros else None
                if shares is not None:
                    yield self.priced("proportions", self.priced("lower", shares, n=shape[0]))

    def shares(self, scores: CandidateStack) -> Iterator[CandidateStack]:
        """Softmax by rows and by columns."""
        price, by_columns = self.wanted.price("softmax"), self.target.axis == 0
        yield applied("softmax", scores, price + 3 * by_columns)
        if scores.shape[0] > 1:
            yield applied("softmax_columns", scores, price + 3 * (not by_columns))

    def products(self) -> Iterator[CandidateStack]:
        """Products of two, one of them transposed or not, with or without a row added to each."""
        for found, _ in self.all_products():
            yield found
            bias = self.ground.stack((1, found.shape[1]), said_of("bias"), 4)
            if bias is not None and self.shape != (1, 1):
                linear = paired("plus", found.cheapest(256), bias, self.wanted.price("plus"))
                yield linear
                yield self.priced("relu", linear)
                yield self.priced("gelu", linear)

    def all_products(self, most: int = 12, wide: int | None = None) -> Iterator[tuple[CandidateStack, int]]:
        """Products that fit, with how many terms their sums have; ``wide``: those with so many columns."""
        for a, b in pairs_of(self.ground.shapes, repeat=2):
            for name, terms, result in _products(a, b):
                if not self._is_wanted(result, wide) or terms == 1 or result[0] * result[1] > LARGE:
                    continue
                left = self.ground.stack(a, QUERY | INPUT | WEIGHTS if name == "product" else QUERY | INPUT, most)
                right = self.ground.stack(b, self._right(name), most)
                if left is not None and right is not None:
                    yield paired(name, left, right, self.wanted.price(name)), terms
                    if name == "product_t" and "cosine" in self.wanted.said:
                        yield paired("cosine", left, right), terms

    def _right(self, name: str) -> frozenset[str]:
        return MATRIX | VALUE | frozenset(self.target.roles) if name == "product" else KEY | INPUT

    def _is_wanted(self, shape: tuple[int, int], wide: int | None) -> bool:
        if wide is None:
            return self.fits(shape)
        return shape[1] == wide and (self.shape[0] in (1, shape[0]))

    def sums(self) -> Iterator[CandidateStack]:
        """Two of one shape, entry by entry; a row beside each row; and what is normed of it."""
        for shape in self.ground.shapes:
            if not self.fits(shape) or (self.shape == (1, 1) != shape):
                continue
            left, right = self.ground.stack(shape, most=12), self.ground.stack(shape, most=12)
            row = self.ground.stack((1, shape[1]), said_of("bias"), 6) if shape[0] > 1 else None
            if left is None or right is None:
                continue
            for name in ("plus", "minus", "hadamard", "quotient"):
                yield different(paired(name, left, right, self.wanted.price(name)))
                if row is not None:
                    yield paired(name, left, row, self.wanted.price(name) + 1)
            yield from self._stepped(left, right)

    def _stepped(self, left: CandidateStack, right: CandidateStack) -> Iterator[CandidateStack]:
        """A step of training: less a number of times a gradient."""
        for number in self.ground.numbers(4) if "stepped" in self.wanted.operations else ():
            if 0 < number.values[0, 0] < 1:
                step = CandidateStack(
                    right.values * number.values,
                    right.cost,
                    lambda i, of=number.of: RecipeStep("hadamard", (of, right.of(i))),  # type: ignore[misc]
                )
                yield paired("minus", left, step)

    def entry_by_entry(self) -> Iterator[CandidateStack]:
        """A function of every entry, or of every row."""
        for stack in self.bases(frozenset(self.target.roles)):
            for name in ENTRYWISE if self.shape != (1, 1) else (*ENTRYWISE, "log_softmax"):
                yield self.priced(name, stack)
            for name in ROWWISE if stack.shape[1] > 1 else ():
                yield self.priced(name, stack)
            if stack.shape[1] > 1:
                yield self.priced("exp", self.priced("shifted", stack))

    def norms(self) -> Iterator[CandidateStack]:
        """Layer norm and RMS norm of what is known."""
        for stack in self.bases(INPUT):
            if stack.shape[1] > 1:
                yield from self.normed(stack)
                both = different(paired("plus", stack, stack, self.wanted.price("plus") / 2))
                yield from self.normed(both.cheapest(60))

    def normed(self, stack: CandidateStack) -> Iterator[CandidateStack]:
        """Layer norm and RMS norm with each ε, with and without γ and β."""
        layer, rms = self.wanted.price("layer_norm"), self.wanted.price("rms_norm")
        centred, spread = RULES["centred"].fast(stack.values), RULES["variance"].fast(stack.values)
        size = stack.shape[1]
        yield by_epsilon("layer_norm", stack, (centred, spread), EPSILONS, layer)
        sample = spread * size / (size - 1)
        yield by_epsilon("layer_norm", stack, (centred, sample), EPSILONS[:3], layer + 2, correction=1)
        squares = np.square(stack.values).mean(axis=-1, keepdims=True)
        yield by_epsilon("rms_norm", stack, (stack.values, squares), EPSILONS, rms)
        yield from self._with_parameters(stack)

    def _with_parameters(self, stack: CandidateStack) -> Iterator[CandidateStack]:
        shape = 1, stack.shape[1]
        gammas = self.ground.stack(shape, said_of("gamma"), 2, among=said_of("gamma", "weight_matrix"))
        betas = self.ground.stack(shape, said_of("beta"), 2, among=said_of("beta", "bias"))
        if gammas is None:
            return
        for epsilon, cost in EPSILONS:
            if betas is not None:
                yield with_gamma(stack, gammas, betas, self.wanted.price("layer_norm") + cost, epsilon)
            yield paired("rms_norm_by", stack, gammas, self.wanted.price("rms_norm") + cost, epsilon=epsilon)

    def of_rows(self) -> Iterator[CandidateStack]:
        """One number of every row: a sum, a mean, a variance, a length; one row of all."""
        rows, columns = self.shape
        for shape in self.ground.shapes if rows == 1 else ():
            by_rows = shape[1] > 1 and (columns == 1 or shape[0] == columns)
            stack = self.ground.stack(shape, most=12) if by_rows or (shape[1] == columns and shape[0] > 1) else None
            if stack is None or shape[0] * shape[1] > 400:
                continue
            if by_rows:
                yield from self._reduced(stack)
            if shape[1] == columns and shape[0] > 1:
                yield self.priced("column_sum", stack)
                yield self.priced("column_mean", stack)
            if columns == 1:
                yield self.priced("total", stack)

    def _reduced(self, stack: CandidateStack) -> Iterator[CandidateStack]:
        for name in REDUCING:
            yield self.priced(name, stack)
        exps = self.wanted.price("exp") / 2 + self.wanted.price("row_sum") / 2
        yield applied("row_sum", applied("exp", stack), exps)
        if self.shape == (1, 1) and self.is_one:
            yield applied("row_sum", stack, 0.5)
        spread, size = RULES["variance"].fast(stack.values), stack.shape[1]
        for correction in (0, 1):
            spread = spread if not correction else spread * size / (size - 1)
            cost = self.wanted.price("variance") + correction
            numbers = (("correction", correction),)
            yield worked_out("variance", stack, spread, cost, numbers)
            price = self.wanted.price("deviation") + correction
            yield by_epsilon("deviation", stack, (None, spread), EPSILONS, price, correction=correction)
        squares = np.square(stack.values).mean(axis=-1, keepdims=True)
        yield by_epsilon("rms", stack, (None, squares), EPSILONS[:3], self.wanted.price("rms"))
        if self.shape == (1, 1):
            yield paired("cosine", stack.cheapest(6), stack.cheapest(6), self.wanted.price("cosine"))

    @property
    def is_one(self) -> bool:
        """Whether the target is a single 1.0, as sums of shares are."""
        return bool(self.target.values[0, 0] == 1 and self.target.units[0, 0] < 1)

    def seldom(self) -> Iterator[CandidateStack]:
        """What is done less often: heads joined and projected, a step back through softmax, times a number."""
        if self.shape[1] > 1:
            yield from self._joined_heads()
        for shape in self.ground.shapes:
            if not self.fits(shape) or (self.shape == (1, 1) != shape):
                continue
            stack = self.ground.stack(shape, most=12)
            if stack is None:
                continue
            for number in self.ground.numbers(4):
                yield by_number("hadamard", stack, number, self.wanted.price("hadamard"))
            if "gradient" in self.wanted.target.does or "gradient" in self.wanted.target.roles:
                yield from self._through_softmax(shape)

    def _joined_heads(self) -> Iterator[CandidateStack]:
        rows, columns = self.shape
        for wide, across in self.ground.shapes:
            out = self.ground.stack((wide, across), MATRIX, 4) if across == columns else None
            for half in range(1, wide if out is not None else 0):
                left = self.ground.stack((rows, half), CONTEXT, 4)
                right = self.ground.stack((rows, wide - half), CONTEXT, 4)
                if left is not None and right is not None and out is not None:
                    yield paired("product", paired("concat", left, right, 1.0), out, self.wanted.price("product"))

    def _through_softmax(self, shape: tuple[int, int]) -> Iterator[CandidateStack]:
        """A ⊙ (dA − the sums of the rows of dA ⊙ A)."""
        weights = self.ground.stack(shape, among=WEIGHTS, most=4)
        back = self.ground.stack(shape, among=GRADIENT, most=4)
        if weights is not None and back is not None:
            yield paired("softmax_back", weights, back, 1.0)

    def by_positions(self) -> Iterator[CandidateStack]:
        """Sines and cosines of positions; rows turned by their positions."""
        rows, columns = self.shape
        if columns < 2 or columns % 2:
            return
        price = self.wanted.price("sinusoidal")
        for start in (0, 1) if rows > 1 else range(8):
            yield alone(RecipeStep("sinusoidal", (), (("n", rows), ("d", columns), ("start", start))), price + start)
            for stack in self.bases(QUERY | KEY, 8):
                for name in ("rotary", "rotary_halves"):
                    yield applied(name, stack, self.wanted.price(name) + start, start=start)

    def score_products(self, wide: int | None = None) -> Iterator[tuple[CandidateStack, int]]:
        """Products that may be scores."""
        for found, terms in self.all_products(8, wide):
            yield found.cheapest(128), terms

    def chains(self) -> Iterator[CandidateStack]:
        """From queries and keys at once: scores scaled, masked, softmax."""
        if self.shape == (1, 1):
            return
        for found, terms in self.score_products():
            scores = self.masked(self.scaled(found, terms))
            yield scores
            yield from self.shares(scores)
            yield self.priced("proportions", found)

    def outputs(self) -> Iterator[CandidateStack]:
        """Attention as a whole, from scores or from queries and keys."""
        rows, columns = self.shape
        if columns == 1:
            return
        for shape in self.ground.shapes:
            values = self.ground.stack(shape, VALUE, 6) if shape[1] == columns else None
            if values is None:
                continue
            for shares in self._shares_of(shape[0], rows):
                yield paired("product", shares.cheapest(256), values, self.wanted.price("product"))

    def _shares_of(self, wide: int, rows: int) -> Iterator[CandidateStack]:
        for high, across in self.ground.shapes:
            if across == wide and rows in (1, high):
                for scores in self.scores_of((high, across)):
                    yield from self.shares(scores.cheapest(64))
        for scores, terms in self.score_products(wide):
            yield from self.shares(self.masked(self.scaled(scores.cheapest(48), terms)))

    def of_numbers(self) -> Iterator[CandidateStack]:
        """What is made of single numbers: products, sums of several, rows of them and what shares they are."""
        rows, columns = self.shape
        if self.shape == (1, 1):
            numbers = self.ground.stack((1, 1), most=10)
            if numbers is not None:
                yield different(paired("hadamard", numbers, numbers, self.wanted.price("hadamard")))
            for many in range(2, 9):
                run = self.ground.runs(many, 6)
                if run is not None:
                    yield summed(run, self.wanted.price("row_sum") + many / 8)
        elif rows == 1:
            run = self.ground.runs(columns)
            if run is not None:
                yield CandidateStack(run.values, run.cost + self.wanted.price("copy") + 1, run.of)
                yield self.priced("proportions", run)
                yield self.priced("softmax", run)
                yield self.priced("exp", run)
                yield from self._by_numbers(run)


def _products(a: tuple[int, int], b: tuple[int, int]) -> Iterator[tuple[str, int, tuple[int, int]]]:
    """Products of two shapes: operation, number of terms, shape."""
    if a[1] == b[1]:
        yield "product_t", a[1], (a[0], b[0])
    if a[1] == b[0]:
        yield "product", a[1], (a[0], b[1])
    if a[0] == b[0] > 1:
        yield "t_product", a[0], (a[1], b[1])
