"""The bank of mistakes: every one that is known, from the most to the least common.

The same bank gives distractors, feedback and diagnosis: where two mistakes explain an answer, the first one is more
likely.

>>> [mistake.name for mistake in BANK[:3]]
['scale-forgotten', 'softmax-over-columns', 'divided-by-width']
"""

from __future__ import annotations

from symattn.errors import UnknownNameError, unknown
from symattn.mistakes import (
    counts,
    heads,
    layers,
    losses,
    masks,
    norms,
    positions,
    products,
    rounding,
    scores,
    shapes,
    softmax,
)
from symattn.mistakes.model import Mistake, Rewrite

ATTENTION = ("attention-row", "attention-head", "two-heads")
SCALED = ("scaling", *ATTENTION, "causal-mask", "padding-mask")
SOFTENED = ("softmax-row", *ATTENTION, "causal-mask", "padding-mask", "next-word", "cross-entropy")
WEIGHTED = ("context-vector", *ATTENTION, "causal-mask", "padding-mask")
COMPARED = ("score-entry", "scaling", *ATTENTION, "causal-mask", "padding-mask")
PAIRS = ("dot-product", "score-entry", "cosine")
LINEAR = ("projection", "attention-head", "two-heads", "feed-forward", "next-word")
NORMS = ("layer-norm", "rms-norm")
MASKS = ("causal-mask", "padding-mask", "attention-head", "two-heads")
HEADS = ("two-heads",)
COUNTS = ("parameter-count", "operation-count")
EVERYWHERE = (
    "dot-product", "cosine", "score-entry", "scaling", "softmax-row", "causal-mask", "padding-mask", "context-vector",
    "projection", "attention-row", "attention-head", "two-heads", "layer-norm", "rms-norm", "feed-forward", "next-word",
    "cross-entropy", "rope", "online-softmax",
)  # fmt: skip


def _subtle(name: str, rewrite: Rewrite, topics: tuple[str, ...]) -> Mistake:
    """A mistake that may not show in the figures of an exercise."""
    return Mistake(name, rewrite, topics, subtle=True)


def _number(name: str, rewrite: Rewrite, topics: tuple[str, ...] = COUNTS) -> Mistake:
    return Mistake(name, rewrite, topics, ("number",))


def _shape(name: str, rewrite: Rewrite) -> Mistake:
    return Mistake(name, rewrite, ("shape-of-product",), ("shape",))


BANK: tuple[Mistake, ...] = (
    Mistake("scale-forgotten", scores.scale_forgotten, SCALED),
    Mistake("softmax-over-columns", softmax.softmax_over_columns, SOFTENED),
    Mistake("divided-by-width", scores.divided_by_width, SCALED),
    Mistake("bias-forgotten", layers.bias_forgotten, LINEAR),
    Mistake("residual-forgotten", layers.residual_forgotten, ("attention-head", "two-heads", "feed-forward")),
    Mistake("mask-forgotten", masks.mask_forgotten, MASKS),
    Mistake("mask-of-zero", masks.mask_of_zero, MASKS),
    Mistake("mask-after-softmax", masks.mask_after_softmax, MASKS),
    Mistake("mask-the-wrong-way", masks.mask_the_wrong_way, MASKS),
    Mistake("exponentials-without-dividing", softmax.exponentials_without_dividing, (*SOFTENED, "online-softmax")),
    Mistake("shares-without-exponentials", softmax.shares_without_exponentials, SOFTENED),
    Mistake("values-forgotten", softmax.values_forgotten, WEIGHTED),
    Mistake("output-projection-forgotten", heads.output_projection_forgotten, ("attention-head", "two-heads")),
    Mistake("relu-forgotten", layers.relu_forgotten, ("feed-forward",)),
    Mistake("variance-with-n-minus-one", norms.variance_with_n_minus_one, ("layer-norm",)),
    Mistake("norm-over-tokens", norms.norm_over_tokens, NORMS),
    Mistake("mean-not-subtracted", norms.mean_not_subtracted, ("layer-norm",)),
    Mistake("mean-subtracted", norms.mean_subtracted, ("rms-norm",)),
    Mistake("lengths-forgotten", losses.lengths_forgotten, ("cosine",)),
    Mistake("sign-forgotten", losses.sign_forgotten, ("cross-entropy",)),
    Mistake("sum-instead-of-mean", losses.sum_instead_of_mean, ("cross-entropy",)),
    Mistake("old-sum-not-rescaled", losses.old_sum_not_rescaled, ("online-softmax",)),
    Mistake("position-off-by-one", positions.position_off_by_one, ("rope",)),
    Mistake("turned-the-wrong-way", positions.turned_the_wrong_way, ("rope",)),
    _shape("rows-and-columns-swapped", shapes.rows_and_columns_swapped),
    _shape("inner-sizes-kept", shapes.inner_sizes_kept),
    _shape("shape-of-the-first-factor", shapes.shape_of_the_first_factor),
    _shape("shape-of-the-last-factor", shapes.shape_of_the_last_factor),
    _number("biases-not-counted", counts.biases_not_counted, ("parameter-count",)),
    _number("output-projection-not-counted", counts.output_projection_not_counted, ("parameter-count",)),
    _number("one-of-two-matrices-counted", counts.one_of_two_matrices_counted),
    _number("one-head-counted", counts.one_head_counted),
    _number("one-layer-counted", counts.one_layer_counted),
    _number("counted-for-every-head", counts.counted_for_every_head),
    _number("length-and-width-exchanged", counts.length_and_width_exchanged, ("operation-count",)),
    _number("one-multiplication-per-entry", counts.one_multiplication_per_entry, ("operation-count",)),
    _number("additions-counted-too", counts.additions_counted_too, ("operation-count",)),
    _number("sizes-added", counts.sizes_added),
    Mistake("root-of-model-width", scores.root_of_model_width, SCALED),
    Mistake("root-of-token-count", scores.root_of_token_count, SCALED),
    Mistake("multiplied-by-root", scores.multiplied_by_root, SCALED),
    Mistake("scaled-after-softmax", scores.scaled_after_softmax, SCALED),
    Mistake("key-not-transposed", scores.key_not_transposed, COMPARED),
    Mistake("product-reversed", scores.product_reversed, COMPARED),
    Mistake("query-and-key-exchanged", scores.query_and_key_exchanged, ("score-entry",)),
    Mistake("first-row-instead", scores.first_row_instead, ("score-entry", "cosine", "causal-mask", "attention-row")),
    Mistake("softmax-over-all", softmax.softmax_over_all, SOFTENED),
    Mistake("softmax-base-two", softmax.softmax_base_two, (*SOFTENED, "online-softmax")),
    Mistake("softmax-base-ten", softmax.softmax_base_ten, (*SOFTENED, "online-softmax")),
    Mistake("temperature-forgotten", scores.temperature_forgotten, ("next-word",)),
    Mistake("mask-one-too-late", masks.mask_one_too_late, ("causal-mask", "attention-head", "two-heads")),
    Mistake("weights-transposed", softmax.weights_transposed, WEIGHTED),
    Mistake("values-transposed", softmax.values_transposed, WEIGHTED),
    Mistake("weight-transposed", products.weight_transposed, LINEAR),
    Mistake("entry-by-entry-product", products.entry_by_entry_product, (*LINEAR, *WEIGHTED)),
    Mistake("components-added", products.components_added, PAIRS),
    Mistake("lengths-multiplied", products.lengths_multiplied, PAIRS),
    _subtle("signs-dropped", products.signs_dropped, PAIRS),
    Mistake("bias-before-the-product", layers.bias_before_the_product, LINEAR),
    Mistake("absolute-value-for-relu", layers.absolute_value_for_relu, ("feed-forward",)),
    _subtle("relu-before-the-product", layers.relu_before_the_product, ("feed-forward",)),
    Mistake("heads-averaged", heads.heads_averaged, HEADS, ("matrix", "shape")),
    Mistake("heads-added", heads.heads_added, HEADS, ("matrix", "shape")),
    Mistake("heads-split-by-rows", heads.heads_split_by_rows, HEADS),
    Mistake("root-forgotten", norms.root_forgotten, NORMS),
    Mistake("squares-not-averaged", norms.squares_not_averaged, NORMS),
    Mistake("mean-left-in-the-numerator", norms.mean_left_in_the_numerator, ("layer-norm",)),
    Mistake("gain-forgotten", norms.gain_forgotten, NORMS),
    Mistake("shift-forgotten", norms.shift_forgotten, ("layer-norm",)),
    _subtle("epsilon-forgotten", norms.epsilon_forgotten, NORMS),
    _subtle("epsilon-outside-the-root", norms.epsilon_outside_the_root, NORMS),
    Mistake("one-length-only", losses.one_length_only, ("cosine",)),
    Mistake("lengths-squared", losses.lengths_squared, ("cosine",)),
    Mistake("probability-instead-of-logarithm", losses.probability_instead_of_logarithm, ("cross-entropy",)),
    Mistake("logarithm-base-ten", softmax.logarithm_base_ten, ("cross-entropy",)),
    Mistake("logarithm-base-two", softmax.logarithm_base_two, ("cross-entropy",)),
    Mistake("ids-counted-from-one", losses.ids_counted_from_one, ("cross-entropy",)),
    Mistake("turned-in-degrees", positions.turned_in_degrees, ("rope",)),
    Mistake("halves-paired", positions.halves_paired, ("rope",)),
    _subtle("old-maximum-forgotten", losses.old_maximum_forgotten, ("online-softmax",)),
    Mistake("old-sum-forgotten", losses.old_sum_forgotten, ("online-softmax",)),
    Mistake("rescaled-the-wrong-way", losses.rescaled_the_wrong_way, ("online-softmax",)),
    _subtle("rounded-too-early", rounding.rounded_too_early, EVERYWHERE),
)
"""Every mistake, the more common ones first."""


def mistake_named(name: str) -> Mistake:
    """The mistake of that name.

    Raises :class:`~symattn.errors.UnknownNameError` for one that is not in the bank.

    >>> mistake_named("heads-averaged").topics
    ('two-heads',)
    """
    found = next((mistake for mistake in BANK if mistake.name == name), None)
    if found is None:
        raise UnknownNameError(unknown("mistake", name, (mistake.name for mistake in BANK)))
    return found
