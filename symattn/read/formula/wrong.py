"""Explain why a formula cannot be read, to the person who wrote it.

For people who know other libraries, hints say what to write instead of functions that formulas do not have. Text in «»
is a formula, which a test reads.

>>> hint("vcat"), hint("softmax")
('below each other it is stack(X, Y)', '')
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from keyword import iskeyword
from types import MappingProxyType

from sympy import Expr

from symattn.base.errors import letters, shown, unknown
from symattn.base.parentheses import beside, tight
from symattn.operations.terms import Term
from symattn.read.formula.tree import canonical

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
"""Names in lower case, each with the hint for those who call them."""

_BY_NAME = MappingProxyType({name: text for names, text in _HINTS.items() for name in names.split()})


def hint(name: str) -> str:
    """Return the hint for a call of ``name``; empty if there is none."""
    plain = name.casefold()
    text = _BY_NAME.get(plain) or _BY_NAME.get(plain.replace("_", ""), "")
    return re.sub("[«»]", "", text).replace("{name}", name)


def hinted_names() -> tuple[str, ...]:
    """Return the names that have a hint."""
    return tuple(_BY_NAME)


def hinted_formulas() -> list[str]:
    """Return every formula in the hints."""
    return [piece for text in _HINTS.values() for piece in re.findall("«(.*?)»", text)]


ALLOWED = "a formula is made of names, numbers, @ + - * / ^ .T and functions"

MADE_OF = {
    "number": "write digits, fractions, sqrt(…) and powers",
    "notation": "write names, @, +, .T, row(A, 2), dot(x, y), tilde(X)",
}
"""How to write other kinds of texts."""
TIMES = "@ between matrices, * beside a number"
_NO_SIGN = {
    **dict.fromkeys('"“”`', "the formula without quotes inside"),
    **dict.fromkeys(("=", ":=", "＝"), "name = formula, with one = only"),
    **dict.fromkeys(("==", "<", ">", "<=", ">=", "!="), "name = formula: nothing is compared"),
    "'": "the formula without quotes inside",
    "%": "a fraction or a decimal",
    **dict.fromkeys(
        ("≈", "≃", "≅", "\\approx", "\\simeq", "→", "⇒", "\\to", "\\rightarrow", "\\Rightarrow"),
        "the formula up to here: what it gives is worked out, and figures of a source to compare with stand in "
        "[printed]",
    ),
    **dict.fromkeys(("∈", "\\in"), "the formula up to here: its shape is worked out"),
    "//": "/ and floor(x)",
    ";": "one formula for each step",
    "#": "remarks in a note",
    "⊗": "@ for the product of matrices, * entry by entry",
}
"""Marks that formulas do not have, or not in every place, and what to write instead."""


def instead_of(mark: str) -> str:
    """Return what to write instead of a mark; empty if unknown.

    >>> instead_of("%"), instead_of("١"), instead_of("?")
    ('write a fraction or a decimal', 'write digits from 0 to 9', '')
    """
    if mark in _NO_SIGN:
        return f"write {_NO_SIGN[mark]}"
    return "write digits from 0 to 9" if not mark.isascii() and mark.isnumeric() else ""


def instead(node: ast.expr) -> str:
    """Return what to write instead of a piece of Python that formulas do not have."""
    match node:
        case ast.Tuple():
            return (
                "a comma stands between the values of a function, or in brackets, [1, 0] and X[0, 1]; a decimal has a "
                "point, 0.5; thousands have none, 1000"
            )
        case ast.Compare() | ast.NamedExpr():
            return "a step is written name = formula, with one = only"
    return ALLOWED


def at_most(parameters: tuple[str, ...]) -> str:
    """Return how many values a function takes.

    >>> at_most(("S",)), at_most(("X", "Y"))
    ('one value only', 'at most 2 values')
    """
    return "one value only" if len(parameters) == 1 else f"at most {len(parameters)} values"


def usage(name: str, parameters: Sequence[str], values: Sequence[ast.expr], endless: bool) -> str:
    """Return how to call a function, for someone who called it with ``values``.

    >>> usage("cat", ["arrays"], [], False), usage("softmax", ["S"], [ast.Constant(2)] * 3, False)
    ('cat([X, Y, …])', 'softmax(S); numbers stand in a list, softmax([…])')
    """
    named = ["[X, Y, …]" if parameter == "arrays" else parameter for parameter in parameters]
    are_numbers = values and all(isinstance(value, ast.Constant) for value in values)
    numbers = f"; numbers stand in a list, {name}([…])" if are_numbers else ""
    return f"{name}({', '.join(named)}{', …' if endless else ''}){numbers}"


def is_grouped(node: ast.BinOp) -> bool:
    """Return whether the left factor is a product in parentheses: then it starts behind the opening one."""
    left = node.left
    return isinstance(left, ast.BinOp) and isinstance(left.op, ast.MatMult) and left.col_offset > node.col_offset


NUMBERS: Mapping[object, str] = {"oo": "infinity", "pi": "3.14159…"}
"""Names that mean numbers in every formula."""

_SIZE_LIKE = re.compile(r"[dhmn](_[a-z]+)?|(vocab|seq|hidden|head)\w*")
_INFINITY = ("inf", "infinity", "Infinity", "Inf", "INF")
_TRANSPOSE = "the transpose of X is written X.T"


def meant(text: str, name: str) -> str:
    """Return a hint for an undefined name: ``t`` in ``Q^t``, ``e``, ``x_i``.

    >>> meant("Q @ K^t", "t"), meant("e * X", "e")
    ('the transpose of X is written X.T', 'e^x is exp(x), and e is exp(1)')
    """
    if name in ("T", "t") and re.search(rf"(\^|\*\*)\s*\(?{name}\b", text):
        return _TRANSPOSE
    if name == "e":
        return "e^x is exp(x), and e is exp(1)"
    if re.fullmatch(r"[A-Za-z]+_[ijkt]{1,2}", name):
        return "a formula speaks of a whole vector or matrix, x, or of one entry, x_1 or S_{12}"
    if name in _INFINITY:
        return "infinity is written oo, and a mask has -oo by itself: causal_mask(n)"
    return ""


def of_sizes(name: str) -> str:
    """Return a hint for a name that usually means a size.

    >>> of_sizes("d_k")
    '; a number gets a name under [sizes]: d_k = 4'
    """
    return f"; a number gets a name under [sizes]: {name} = 4" if _SIZE_LIKE.fullmatch(name) else ""


def is_python_word(text: str) -> bool:
    """Return True for a keyword of Python, which cannot be a name; ``lambda`` can, because it is how λ is typed.

    >>> is_python_word("for"), is_python_word("lambda")
    (True, False)
    """
    return iskeyword(text) and text != "lambda"


def no_name(text: object, what: str) -> str:
    """Return the sentence for a text that cannot name something in a formula.

    >>> no_name("for", "a matrix")
    "'for' cannot name a matrix: it is a word of Python"
    >>> no_name("2x", "a size")
    "'2x' cannot name a size: expected a letter, then letters, digits and underscores (at most 40)"
    """
    why = "expected a letter, then letters, digits and underscores (at most 40)"
    if text in NUMBERS:
        why = f"it is a number, {NUMBERS[text]}"
    elif isinstance(text, str) and is_python_word(text):
        why = "it is a word of Python"
    return f"{shown(text) if isinstance(text, str) else text} cannot name {what}: {why}"


def no_call(called: ast.expr, functions: Collection[str]) -> str:
    """Return the sentence for a call of something that is not a name: ``Q.T()``, ``nn.Softmax(S)``."""
    if not isinstance(called, ast.Attribute):
        return "only a function is called, by its name"
    if called.attr in ("T", "t", "transpose"):
        return f"{canonical(called)}(…): {_TRANSPOSE}, without parentheses"
    meant = next((name for name in functions if letters(name) == letters(called.attr)), "")
    if meant:
        return f"{canonical(called)}(…): write {meant}(X), with nothing before the name of the function"
    return no_function(called.attr, functions)


def no_function(name: str, functions: Collection[str]) -> str:
    """Return the sentence for an unknown function.

    >>> no_function("vcat", ["stack"])
    "unknown function 'vcat': below each other it is stack(X, Y); known: stack"
    """
    return unknown("function", name, functions, "symattn catalogue --operations", hint(name))


_OPTIONS = {"epsilon": ("eps",), "gamma": ("weight", "scale", "g"), "beta": ("bias", "b"), "slope": ("negative_slope",)}
"""Names of options in other libraries."""


_AXES = ("axis", "dim", "keepdim", "keepdims")
_ALONG = dict.fromkeys(("concat", "stack"), "concat(X, Y) puts matrices side by side, stack(X, Y) below each other")


def no_option(function: str, option: str, parameters: Sequence[str], needed: int) -> str:
    """Return the sentence for an option that a function does not have.

    >>> no_option("relu", "dim", ("X",), 1)
    "unknown option of relu 'dim': known: none; relu works along no axis"
    """
    known = [name for name in parameters if name.isidentifier()]
    along = f"; {_ALONG.get(function, f'{function} works along no axis')}" if option in _AXES else ""
    meant = next((f"did you mean '{name}'?" for name in known if option in _OPTIONS.get(name, ())), "")
    # Every argument may be given by its name, but nobody does that with a single operand.
    return unknown(f"option of {function}", option, known if len(parameters) > 1 else (), meant=meant) + along


def no_number(value: Term, function: str, arguments: Mapping[str, object]) -> str:
    """Return the sentence for a matrix in place of a number, with the parameter that it was given for.

    ``function`` is called at that place, with its ``arguments``; empty if there is no call.
    """
    parameter = next((name for name, argument in arguments.items() if argument is value), "")
    if not parameter:
        return f"{value.text} is a matrix {value.shape}, expected a number"
    named = "; gamma and beta are given by name: gamma=…" if parameter == "epsilon" else ""
    return f"{function}: {parameter} is {value.text}, a matrix {value.shape}: expected a number{named}"


def no_exact_number(value: Term) -> str:
    """Return the sentence for a formula of matrices in place of an exact number, as in a given."""
    if value.shape.sizes == (1, 1):
        return f"this is worked out by a step, x = {value.text}; expected digits, fractions, sqrt(…) and powers"
    return 'this is a matrix, expected a number; a vector among givens is a list, ["1", "2"]'


def two_readings(piece: str, one: str, other: str) -> str:
    """Return the sentence for an ambiguous piece.

    >>> two_readings("S^2", "S ** 2", "matrix_power(S, 2)")
    'S^2 can mean two things: write S ** 2 or matrix_power(S, 2)'
    """
    return f"{piece} can mean two things: write {one} or {other}"


def two_powers(base: Term, exponent: Expr) -> str:
    """Return the sentence for ``S^2`` of a square matrix."""
    power, entries = f"{tight(base.text)}^{tight(str(exponent))}", beside(base.text, "**", tight(str(exponent)))
    if exponent.is_Integer and exponent > 1:
        return two_readings(power, entries, f"matrix_power({base.text}, {exponent})")
    kind = "a root" if exponent.is_positive else "the inverse"
    return f"{power} is on paper {kind} of the matrix, which formulas do not have; entry by entry it is {entries}"


def no_product(left: Term | Expr, right: Term | Expr) -> str:
    """Return the sentence for a product of matrices that has a number on one side."""
    sides = f"{_described(left)}, {_described(right)}"
    return f"{_text(left)} @ {_text(right)}: {sides}: @ is for matrices, with a number it is *"


def no_exponent(base: Term | Expr, exponent: Term) -> str:
    """Return the sentence for a matrix in an exponent."""
    powers = (
        f"; powers of {base} entry by entry are exp({exponent.text} * log({base}))" if isinstance(base, Expr) else ""
    )
    return f"the exponent {exponent.text} is a matrix {exponent.shape}, expected a number; e^x is exp(x){powers}"


def _text(value: Term | Expr) -> str:
    return value.text if isinstance(value, Term) else str(value)


def _described(value: Term | Expr) -> str:
    if isinstance(value, Term) and value.shape.ndim:
        return f"{value.text} is a matrix {value.shape}"
    return f"{_text(value)} is a number"
