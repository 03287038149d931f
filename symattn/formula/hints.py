"""What people write who know other libraries, where formulas have no function of that name, and what to write instead.

What stands in «» is a formula, which a test reads.

>>> hint("vcat"), hint("softmax")
('below each other it is stack(X, Y)', '')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_OWN = "an operation of your own: [operation.{name}] with its equations"

_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "einsum tensordot": "the product of X and Y is «X @ Y.T», with .T on one of them or neither",
        "cross": "an entry of a cross product is a difference of products, such as "
        "«X[0, 1] * Y[0, 2] - X[0, 2] * Y[0, 1]»",
        "inv inverse pinv solve lstsq cholesky qr svd eig eigh": "matrices are not inverted or taken apart in a "
        "formula: give the matrix that you need as one of its own, and a product such as «S @ S» shows what it does",
        "det": "of 2 rows and 2 columns it is «A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]»",
        "trace": "the sum of the diagonal is «sum(S * identity(n), axis=None)»",
        "diagonal diagflat": "the diagonal matrix of a vector is «diag(v)», the diagonal of a square "
        "matrix «S * identity(n)»",
        "grad gradient vjp jacobian backward": "a gradient is a step of a scenario by itself, dX = grad(L, X), "
        "D = vjp(Y, G, X) or J = jacobian(y, x), of names and not of formulas",
        "hcat": "side by side it is «concat(X, Y)»",
        "vcat row_stack append": "below each other it is «stack(X, Y)»",
        "block dstack": "side by side it is «concat(X, Y)», below each other «stack(X, Y)»",
        "repmat expand": "copies below each other are «tile(X, (2, 1))», side by side «tile(X, 2)»",
        "flatten ravel": "all numbers in one row are «X.reshape(1, -1)»",
        "rearrange split chunk": "columns are cut into heads by heads(X, 2), which «merge_heads(heads(X, 2))» puts "
        "side by side again; some columns are «X[:, 0:2]»",
        "squeeze unsqueeze expand_dims": "an axis of length 1 is put in with «v[:, None]» or «v[None, :]»",
        "where masked_fill masked_softmax": "what a mask hides is «S + causal_mask(n)» with -oo, and "
        "«keep(S, causal_mask(n))» with 0; the larger of two is «maximum(X, Y)»",
        "tril mask": "what is on the diagonal and below it is «keep(S, causal_mask(n))»; scores are hidden with "
        "«S + causal_mask(n)»",
        "triu": "what is above the diagonal is «S - keep(S, causal_mask(n))»; scores are hidden with "
        "«S + causal_mask(n)»",
        "gather take index_select embedding embed lookup": "rows by their numbers, from 0, are «X[[2, 0]]»; rows of E "
        "for ids «one_hot(ids, 5) @ E»",
        "sort argsort topk": "where the 2 largest entries of each row are says «top_k(S, 2)»",
        "cumsum": "sums of all rows so far are «keep(ones(n, n), causal_mask(n)) @ X»",
        "normalize standardize": "rows of length 1 are «unit(X)», rows that add up to 1 «proportions(X)», rows of mean "
        "0 and variance 1 «layer_norm(X)»",
        "dropout": "where nothing is trained dropout changes nothing: leave it out",
        "linear dense": "a linear layer is «X @ W + b»",
        "softmin": "it is «softmax(-X)»",
        "logsumexp": "it is «log(sum(exp(X), axis=1))»",
        "glu swiglu geglu": "one half times the other through a function is «silu(X @ W) * (X @ W)»",
        "ceil": "it is «-floor(-X)»",
        "round rint around": "to whole numbers, halves up, it is «floor(X + 1/2)»; [figures] says how many "
        "decimals a page prints",
        "trunc fix": "of numbers from 0 on it is «floor(X)», of others «-floor(-X)»",
        "sign sgn": "where no entry is 0 it is «X / abs(X)»",
        "kl_div kl kullback_leibler": "of every row of X from the same row of Y it is «sum(X * log(X / Y), axis=1)»",
        "exp2": "it is «exp(X * log(2))»",
        "sinh": "it is «(exp(X) - exp(-X)) / 2»",
        "cosh": "it is «(exp(X) + exp(-X)) / 2»",
        "acos arccos": "the angle between two rows is «angle(X, Y)»",
        "cosine_similarity": "it is «cosine(X, Y)», of every row of X and every row of Y",
        "vdot inner_product": "it is «dot(X, Y)», of every row of X and every row of Y",
        "positional_encoding pos_encoding": "it is «sinusoidal(n, 4)»",
        "rope apply_rotary apply_rope": "it is «rotary(X)»",
        "logistic expit": "it is «sigmoid(X)»",
        "selu celu prelu relu6 hardtanh hardswish sparsemax": _OWN,
        "attention scaled_dot_product_attention sdpa": "it is softmax(Q @ K.T / sqrt(d_k)) @ V; ready-made steps are "
        'an item of their own, { use = "attention" }',
        "multihead multiheadattention mha": 'ready-made steps are an item of their own, { use = "multi_head" }',
        "ffn mlp feedforward": "it is «relu(X @ W + b) @ A»; ready-made steps are an item of their own, "
        '{ use = "feed_forward" }',
    }
)
"""Names in lower case, and what is said to whoever calls them."""

_BY_NAME = MappingProxyType({name: text for names, text in _HINTS.items() for name in names.split()})


def hint(name: str) -> str:
    """What to write instead of a call of ``name``; empty where that is not known."""
    plain = name.casefold()
    text = _BY_NAME.get(plain) or _BY_NAME.get(plain.replace("_", ""), "")
    return re.sub("[«»]", "", text).replace("{name}", name)


def names() -> tuple[str, ...]:
    """The names that there is a hint for."""
    return tuple(_BY_NAME)


def formulas() -> list[str]:
    """Every formula that a hint names."""
    return [piece for text in _HINTS.values() for piece in re.findall("«(.*?)»", text)]
