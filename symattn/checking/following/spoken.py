"""What words and names speak of, and what it costs to say what they do not speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from symattn.base.remembered import cached_property
from symattn.checking.following.recipes import Leaf, Recipe, RecipeStep, Target

PRICES: Mapping[str, float] = MappingProxyType(
    {
        "copy": 0.5,
        "transposed": 3.0,
        "product_t": 2.5,
        "product": 2.5,
        "t_product": 4.5,
        "over_root": 2.0,
        "over_root_of": 2.5,
        "over": 3.5,
        "causal": 2.5,
        "masked": 4.0,
        "softmax": 2.5,
        "softmax_columns": 5.0,
        "proportions": 4.0,
        "plus": 3.0,
        "minus": 4.0,
        "hadamard": 4.5,
        "quotient": 5.0,
        "layer_norm": 3.5,
        "rms_norm": 4.0,
        "column_mean": 8.0,
        "column_sum": 7.0,
        "argmax": 9.0,
        "entropy": 7.0,
        "cosine": 7.0,
        "row_max": 6.0,
        "tanh": 6.0,
        "square": 6.0,
        "log_softmax": 6.0,
    }
)
"""What it costs to say an operation that nobody speaks of, in bits."""

OTHERS = 5.0
"""The same of all other operations."""

EPSILONS: tuple[tuple[Fraction, float], ...] = (
    (Fraction(0), 0.5),
    (Fraction(1, 10**5), 1.0),
    (Fraction(1, 10**6), 2.0),
    (Fraction(1, 10**8), 3.0),
    (Fraction(1, 10**12), 3.0),
    (Fraction(1, 10**3), 4.0),
)
"""What is added below roots, and what each costs."""

OF_ROLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scores": ("product_t", "product"),
        "scaled": ("over_root", "over_root_of", "quotient"),
        "masked": ("causal", "masked"),
        "weights": ("softmax",),
        "probabilities": ("softmax",),
        "query": ("product",),
        "key": ("product",),
        "value": ("product",),
        "output": ("product",),
        "context": ("product",),
        "logits": ("product",),
        "hidden": ("product", "relu", "gelu"),
        "position": ("sinusoidal",),
        "gradient": ("product", "t_product", "product_t", "minus"),
        "mean": ("row_mean", "column_mean"),
        "variance": ("variance",),
        "std": ("deviation",),
        "normalised": ("layer_norm", "rms_norm"),
        "loss": ("neg_log",),
    }
)
"""What a quantity with a role is usually the result of."""

MEANS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scale": ("over_root", "over_root_of", "quotient"),
        "product": ("product", "product_t", "t_product", "hadamard"),
        "transpose": ("transposed",),
        "causal_mask": ("causal",),
        "mask": ("causal", "masked"),
        "normalise": ("proportions", "unit", "layer_norm", "rms_norm"),
        "sum": ("row_sum", "column_sum", "total", "plus"),
        "mean": ("row_mean", "column_mean"),
        "std": ("deviation", "rms"),
        "rms_norm": ("rms_norm", "rms"),
        "gelu": ("gelu", "gelu_tanh"),
        "log": ("log", "log_softmax"),
        "residual": ("plus",),
        "heads": ("columns", "concat"),
        "rotary": ("rotary", "rotary_halves"),
        "positional": ("sinusoidal", "plus"),
        "projection": ("product",),
        "loss": ("neg_log",),
        "cross_entropy": ("neg_log",),
        "gradient": ("product", "t_product", "product_t", "minus"),
        "update": ("minus", "stepped"),
        "max": ("row_max",),
        "dot": ("product_t",),
        "weighted_sum": ("product",),
        "bias": ("plus",),
        "subtract_max": ("shifted",),
    }
)
"""Which operations words speak of; words that are the names of operations are those."""


@dataclass(frozen=True)
class SpokenOf:
    """What words and names speak of."""

    target: Target

    @cached_property
    def operations(self) -> frozenset[str]:
        """The operations that are spoken of, and those that the name is usually the result of."""
        return self.said | self.implied

    @cached_property
    def said(self) -> frozenset[str]:
        """The operations that words speak of."""
        return frozenset(name for word in self.target.does for name in (word, *MEANS.get(word, ())))

    @cached_property
    def implied(self) -> frozenset[str]:
        """What quantities of this name are usually the result of."""
        return frozenset(name for role in self.target.roles for name in OF_ROLE.get(role, ()))

    def price(self, operation: str) -> float:
        """What it costs to say an operation."""
        if operation in self.said:
            return 0.0
        if self.target.roles and operation in OF_ROLE.get(self.target.roles[0], ()):
            return 0.0
        price = PRICES.get(operation, OTHERS)
        return min(price, 1.0) if operation in self.implied else price


MAKES: Mapping[str, str] = MappingProxyType(
    {
        "product_t": "scores",
        "over_root": "scaled",
        "over_root_of": "scaled",
        "causal": "masked",
        "masked": "masked",
        "softmax": "weights",
        "softmax_columns": "weights",
        "proportions": "weights",
        "variance": "variance",
        "deviation": "std",
        "row_mean": "mean",
        "layer_norm": "normalised",
        "layer_norm_by": "normalised",
        "rms_norm": "normalised",
        "rms_norm_by": "normalised",
        "relu": "hidden",
        "gelu": "hidden",
    }
)
"""What is made by an operation, whatever it is called."""


def said_of(*names: str) -> frozenset[str]:
    """Some roles."""
    return frozenset(names)


SCORES, READY = said_of("scores", "scaled", "masked"), said_of("scaled", "masked")
WEIGHTS = said_of("weights", "probabilities")
QUERY, KEY, VALUE = said_of("query"), said_of("key"), said_of("value")
INPUT, MATRIX = said_of("input", "embedding", "hidden"), said_of("weight_matrix")
CONTEXT, GRADIENT = said_of("context", "output"), said_of("gradient")


PICKED = frozenset({"row", "entry", "columns", "flat"})
"""What only picks some of what is there."""

PAIRS: Mapping[str, tuple[tuple[frozenset[str], frozenset[str]], ...]] = MappingProxyType(
    {
        "product_t": ((QUERY, KEY), (INPUT, INPUT)),
        "product": ((WEIGHTS, VALUE | INPUT), (INPUT | CONTEXT, MATRIX)),
        "t_product": ((WEIGHTS | INPUT | GRADIENT, GRADIENT),),
    }
)
"""Which two things are multiplied."""


def doubts(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> int:
    """How many numbers are guessed (a width that is not that of its queries, a mask that the target shows), and how
    many products are of things that are there for something else."""
    if not isinstance(recipe, RecipeStep):
        return 0
    inner = recipe.operands[0] if recipe.operands else None
    is_product = isinstance(inner, RecipeStep) and inner.operation in PAIRS
    is_scaled = recipe.operation in ("over_root", "over_root_of", "quotient")
    of_scores = is_product or bool(inner and _roles_of(inner, roles) & (SCORES - READY))
    is_guess = recipe.operation == "masked" or (
        (is_scaled and not of_scores) or (recipe.operation == "over_root" and not is_product)
    )
    is_strange = (recipe.operation in PAIRS and not _is_usual(recipe, roles)) or (
        recipe.operation in _OF_SCORES and inner is not None and not _may_be_scores(inner, roles)
    )
    return is_guess + is_strange + sum(doubts(each, roles) for each in recipe.operands)


_OF_SCORES = frozenset({"softmax", "softmax_columns", "causal", "masked"})


def _may_be_scores(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> bool:
    """Whether something is scores, or nobody says what it is."""
    if isinstance(recipe, RecipeStep) and recipe.operation == "product":
        left, right = (_roles_of(each, roles) for each in recipe.operands)
        return bool(left & QUERY and right & KEY) or not (left and right)
    if isinstance(recipe, RecipeStep) and recipe.operation not in PAIRS:
        return not recipe.operands or _may_be_scores(recipe.operands[0], roles)
    found = _roles_of(recipe, roles)
    return isinstance(recipe, RecipeStep) or not found or bool(found & (SCORES | said_of("logits", "output")))


def _is_usual(recipe: RecipeStep, roles: Mapping[str, frozenset[str]]) -> bool:
    left, right = (_roles_of(each, roles) for each in recipe.operands)
    same = (
        recipe.operands[0] == recipe.operands[1] and recipe.operation == "product_t" and not left & (SCORES | WEIGHTS)
    )
    return same or any(left & one and right & other for one, other in PAIRS[recipe.operation])


USUAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "softmax": SCORES,
        "softmax_columns": SCORES,
        "over_root": SCORES,
        "over_root_of": SCORES,
        "quotient": SCORES,
        "causal": SCORES,
        "layer_norm": INPUT,
        "rms_norm": INPUT,
        "row_sum": WEIGHTS,
        "total": WEIGHTS,
    }
)
"""What operations are usually applied to."""


def is_expected(recipe: Recipe, roles: Mapping[str, frozenset[str]], nearest: str) -> bool:
    """Whether what is done last is done with what it is usually done with, or with the nearest that nobody named."""
    if not isinstance(recipe, RecipeStep) or not recipe.operands:
        return False
    if recipe.operation in PICKED:
        return is_expected(recipe.operands[0], roles, nearest)
    if recipe.operation in PAIRS:
        return _is_usual(recipe, roles)
    if recipe.operation not in USUAL:
        return False
    known = _roles_of(recipe.operands[0], roles)
    return bool(USUAL[recipe.operation] & known) or (not known and recipe.operands[0] == Leaf(nearest))


def made(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """What a recipe makes, in the words of hints."""
    if isinstance(recipe, Leaf):
        return tuple(sorted(roles.get(recipe.name, ())))
    if recipe.operation in PICKED:
        return made(recipe.operands[0], roles)
    if recipe.operation == "quotient":
        return ("scaled",) if _roles_of(recipe.operands[0], roles) & SCORES else ()
    if recipe.operation == "product":
        left, right = (_roles_of(each, roles) for each in recipe.operands)
        return ("output",) if left & WEIGHTS else ("scores",) if left & QUERY and right & KEY else ()
    return (MAKES[recipe.operation],) if recipe.operation in MAKES else ()


def _roles_of(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if isinstance(recipe, Leaf):
        return roles.get(recipe.name, frozenset())
    if recipe.operation in ("softmax", "softmax_columns", "proportions"):
        return WEIGHTS
    return _roles_of(recipe.operands[0], roles) if recipe.operands else frozenset()
