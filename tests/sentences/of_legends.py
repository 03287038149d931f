"""The table of letters: every name in it, its shape, and its formula, held against the lesson's formulas and numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from symattn.operations.records import RECORDS
from tests.sentences.evidence import BENDS, called, factors, terms
from tests.sentences.of_steps import LARGE, Found
from tests.sentences.page import About, flat
from tests.sentences.values import mean, mp, same, variance

Claim = Callable[[About], bool]


def sums_to_one(about: About) -> bool:
    return all(same(mp.fsum(row), mp.mpf(1)) for row in about.value if any(row))


def hides(about: About) -> bool:
    return all(x == 0 or x < -LARGE for x in about.entries)


def is_given(about: About) -> bool:
    return about.name in {each["name"] for each in about.data["givens"]}


def pushed_down(about: About) -> bool:
    """Whether what a sum changes is so far down that a softmax has nothing left for it."""
    pairs = [
        (b, max(new))
        for old, new in zip(about.operand.value, about.value, strict=True)
        for a, b in zip(old, new, strict=True)
        if a != b
    ]
    return all(b == -mp.inf or b + 60 < top for b, top in pairs if mp.isfinite(top))


def in_scores(about: About) -> bool:
    """Whether a name is in what shares are made of."""
    evidence = about.evidence
    return any(about.name in evidence.behind(evidence.named(scores)) for _, scores in evidence.shared)


def candidates(about: About) -> bool:
    """Whether the columns are candidates: those of the matrix itself, or of the shares that are made of it."""
    evidence = about.evidence
    alike = {about.name}
    for name, scores in evidence.shared:
        inside = evidence.named(scores)
        alike |= ({name} if about.name in inside else set()) | (inside if name == about.name else set())
    return any(map(evidence.has_candidates, alike))


def _is_kept_by(about: About) -> bool:
    """That a mask says what is kept: there whatever is not 0 hides."""
    return any(about.name in about.evidence.named(part.args[1]) for part in about.evidence.calls("keep"))


def _formula(about: About) -> ast.expr:
    return about.evidence.opened(ast.Name(about.name))


def _has(*names: str) -> Claim:
    """That the formula calls one of these functions."""
    return lambda about: any(called(part) in names for part in about.evidence.parts(_formula(about)))


def _is(*kinds: type) -> Claim:
    """That the formula is of one of these kinds of trees, numbers that multiply and divide left out."""
    return lambda about: isinstance(about.evidence.unscaled(_formula(about)), kinds)


def _makes(what: Callable[[About, str], bool]) -> Claim:
    """That a given is multiplied from the left by something, and that what comes of it is used in this way."""

    def holds(about: About) -> bool:
        evidence = about.evidence
        made = [name for name, part in evidence.everywhere if about.name in map(ast.unparse, factors(part)[1:])]
        return is_given(about) and any(what(about, name) for name in made)

    return holds


def _product(about: About) -> bool:
    return len(factors(about.evidence.unscaled(_formula(about)))) > 1


def _sum(about: About) -> bool:
    return len(terms(_formula(about))) > 1


def is_one_hot(about: About) -> bool:
    return all(sorted(row) == [0] * (len(row) - 1) + [1] for row in about.value)


def _gathers(about: About) -> bool:
    """Whether what mixtures have gathered is made into something else: by itself, side by side, or within a product."""
    left = [about.evidence.opened(each) for each in factors(_formula(about))[:1]]
    heads = [each for node in left if called(node) == "concat" and isinstance(node, ast.Call) for each in node.args]
    gathered = [about.evidence.opened(each) for each in (*left, *heads)]
    return any(about.evidence.is_share(factors(about.evidence.unscaled(each))[0]) for each in gathered)


def _compares_itself(about: About) -> bool:
    pairs = about.evidence.pairs(ast.Name(about.name))
    return any(ast.unparse(left) == ast.unparse(right) for left, right in pairs)


def _compares(about: About) -> bool:
    return any(True for _ in about.evidence.pairs(ast.Name(about.name))) and in_scores(about)


def _is_single(about: About) -> bool:
    return about.size == (1, 1)


def _added_to_scores(about: About) -> bool:
    sums = [terms(part) for _, part in about.evidence.everywhere]
    return in_scores(about) and any(about.name in map(ast.unparse, each) for each in sums if len(each) > 1)


def _of_scores(about: About) -> bool:
    return in_scores(about) or bool(list(about.evidence.pairs(ast.Name(about.name))))


def _evidence(method: str) -> Claim:
    return lambda about: bool(getattr(about.evidence, method)(about.name))


def _head(method: str) -> Claim:
    return lambda about: _has("head")(about) and _evidence(method)(about)


def _normal(about: About) -> bool:
    """Rows of mean 0 and variance 1 at most, or of mean square 1 at most; with a scale of its own by its formula."""
    tiny = mp.mpf(10) ** -40
    by_mean = all(abs(mean(row)) < tiny and variance(row) <= 1 + tiny for row in about.value)
    return (
        by_mean
        or all(mean([x * x for x in row]) <= 1 + tiny for row in about.value)
        or _has("layer_norm", "rms_norm", "sqrt")(about)
        or "*" in about.step["written"]
    )


def _residual(about: About) -> bool:
    """That a name is in the sum, and another term is made of it."""
    found = [ast.unparse(term) for term in terms(_formula(about))]
    evidence = about.evidence
    return any(
        kept in evidence.shapes
        and any(
            kept in evidence.behind(evidence.named(term))
            for term in terms(_formula(about))
            if ast.unparse(term) != kept
        )
        for kept in found
    )


def rows_alike(about: About) -> bool:
    return all(row == about.value[0] for row in about.value)


def _is_ids(about: About) -> bool:
    return is_given(about) and all(x == int(x) >= 0 for x in about.entries)


def _is_answers(about: About) -> bool:
    """That the numbers are those of columns, where a loss or a probability of the right answer asks for them."""
    used = [part for part in about.evidence.calls("cross_entropy", "one_hot") if len(part.args) > 1]
    return _is_ids(about) and any(about.name in about.evidence.named(arg) for part in used for arg in part.args)


ROLES: Mapping[str, Claim] = {
    **{name: _has(*functions.split()) for name, functions in {
        "weights that stay visible": "keep", "the row that decides": "row", "choice": "argmax",
        "the few largest": "top_k", "exponentials": "exp", "largest entries": "row_max max",
        "rotated rows": "rotary", "rows of length 1": "unit", "clipped matrix": "clip_norm", "logarithms": "log",
        "matrices joined": "concat stack", "what a mask lets through": "keep", "dot products": "dot",
        "cosines": "cosine", "angles": "angle", "lengths": "norm", "entropies": "entropy",
    }.items()},
    **dict.fromkeys(("input", "scale", "shift", "cache", "given"), is_given),
    **dict.fromkeys(("one-hot rows", "right answers"), is_one_hot),
    **dict.fromkeys(("input with positions", "moved rows", "a sum"), _sum),
    **dict.fromkeys(("projection before the bias", "products of columns", "keys times values"), _product),
    **dict.fromkeys(("keys, turned", "a transpose"), lambda about: about.evidence.turned(ast.Name(about.name)) is not None),
    **dict.fromkeys(("surprise", "variances", "standard deviations"), lambda about: all(x >= 0 for x in about.entries)),
    "projection weights": _makes(lambda a, name: any(getattr(a.evidence, each)(name) for each in ("is_query", "is_key", "is_value"))),
    "numbers of the words": _is_ids,
    "numbers of the right answers": _is_answers,
    "embedding table": _makes(lambda a, name: all(row in a.value for row in a.at(name).value)),
    "word vectors": lambda about: len(about.rows) == len(about.value) or not about.rows,
    "position vectors": lambda about: is_given(about) or _has("sinusoidal")(about),
    "query weights": _makes(lambda a, name: a.evidence.is_query(name)),
    "key weights": _makes(lambda a, name: a.evidence.is_key(name)),
    "value weights": _makes(lambda a, name: a.evidence.is_value(name)),
    "output weights": _makes(lambda a, name: _gathers(a.at(name))),
    "first layer’s weights": _makes(lambda a, name: a.evidence.is_bent(name)),
    "second layer’s weights": _makes(lambda a, name: any(map(a.evidence.is_of_bend, a.at(name).step["uses"]))),
    "candidate weights": _makes(lambda a, name: candidates(a.at(name))),
    "weights of the scores": lambda about: any("additive_scores" in ast.unparse(part) for _, part in about.evidence.everywhere if about.name in about.evidence.named(part)),
    "bias": lambda about: is_given(about) and len(about.value) == 1,
    "bias, row by row": rows_alike,
    "queries": _evidence("is_query"),
    "keys": _evidence("is_key"),
    "values": _evidence("is_value"),
    "queries of one head": _head("is_query"),
    "keys of one head": _head("is_key"),
    "values of one head": _head("is_value"),
    "positive features": lambda about: all(x > 0 for x in about.entries),
    "similarities": _compares_itself,
    "scaled scores": lambda about: _of_scores(about) and bool(re.search(r"[/*]", about.step["written"])),
    "scores": _of_scores,
    "mask": lambda about: (hides(about) and (in_scores(about) or _added_to_scores(about))) or _is_kept_by(about) or hides(about),
    "distances": lambda about: all(same(x, about.value[j][i]) for i, row in enumerate(about.value) for j, x in enumerate(row)) if len(about.value) == len(about.value[0]) else True,
    "what is added to the scores": _added_to_scores,
    "masked scores": lambda about: in_scores(about) and pushed_down(about),
    "scores with distances": lambda about: in_scores(about) and _sum(about),
    "attention weights": lambda about: sums_to_one(about) and (is_given(about) or about.evidence.attends(about.name)),
    "one row of the weights": lambda about: sums_to_one(about) and about.evidence.attends(about.operand.name),
    "mean weights": lambda about: sums_to_one(about) and all(map(about.evidence.attends, about.step["uses"])),
    "mixtures": _evidence("is_mixture"),
    "all heads": lambda about: _has("concat")(about) and all(map(about.evidence.is_mixture, about.step["uses"])),
    "output of attention": lambda about: _gathers(about) or _sum(about),
    "residual sum": _residual,
    "normalised rows": _normal,
    "hidden layer": _evidence("is_bent"),
    "activations": _has(*BENDS),
    "gated layer": lambda about: "*" in about.step["written"],
    "network output": lambda about: any(about.evidence.is_of_bend(each) for each in about.step["uses"]) or _sum(about),
    "candidate scores": candidates,
    "probabilities": lambda about: sums_to_one(about) and candidates(about),
    "shares": lambda about: all(x >= 0 for x in about.entries) and (sums_to_one(about) or _is(ast.BinOp)(about)),
    "probability of the right answer": lambda about: all(0 <= x <= 1 for x in about.entries),
    "loss": lambda about: _is_single(about) and (_has("cross_entropy")(about) or about.value[0][0] >= 0),
    "gradients": lambda about: r"\partial" in about.step["symbol"]["latex"],
    "perplexity": lambda about: all(x >= 1 for x in about.entries),
    "sums": lambda about: _has("row_sum", "sum", "ones", "column_sum")(about) or _product(about),
    "means": lambda about: _has("row_mean", "mean", "row_sum", "sum", "ones")(about) or bool(re.search(r"[/*]", about.step["written"])),
    "a matrix product": lambda about: _product(about) or _is(ast.Call)(about) or "**" in ast.unparse(_formula(about)),
    "a difference": lambda about: "-" in about.step["written"],
    "state": lambda about: ".T" in about.step["written"],
    "the same matrix": lambda about: any(about.value == about.values[each] for each in about.step["uses"]),
    "a fixed matrix": lambda about: not about.step["uses"],
    "a multiple": lambda about: about.evidence.unscaled(_formula(about)) is not _formula(about),
    "quotients, entry by entry": lambda about: "/" in about.step["written"] or _has("divide")(about),
    "products, entry by entry": lambda about: "*" in about.step["written"] or _has("hadamard", "multiply")(about),
    "a part of a matrix": lambda about: _has("row", "rows", "head", "pick", "entry")(about) or _is(ast.Subscript)(about),
    "values of a function": _is(ast.Call, ast.BinOp),
    "one weight": lambda about: all(0 < x <= 1 for x in about.entries),
    "values of the sigmoid": lambda about: all(0 < x < 1 for x in about.entries),
    "a number": _is_single,
    "any matrix of this shape": lambda about: not about.step.get("values"),
}  # fmt: skip
"""What each name claims of the lesson. A name that is not here fails: a new role needs evidence."""


FUNCTIONS: Mapping[str, Claim] = {
    dict(record.page)["en"]: lambda about, name=name: _has(name)(about) or _is(ast.BinOp)(about)  # type: ignore[misc]
    for name, record in RECORDS.items()
    if record.page
}
"""What steps are called that are a function of a record alone."""


OF_WORDS = (
    *("numbers of the words", "one-hot rows", "embedding table"),
    *("word vectors", "position vectors", "input with positions"),
)
"""What is looked up in a table by numbers is called a word, whether a lesson lists its words or not."""


def matrices(about: About, cell: str) -> list[About]:
    """The matrices of a row of the legend, as far as they are named."""
    return [about.called(symbol) for symbol in re.split(r",(?![^{]*\})", cell.strip("$")) if symbol != r"\cdots"]


def legend(about: About, found: Found) -> bool:
    """Whether a row's shapes are those of its matrices, its name is true of each, and its formula is the step's."""
    letters, name, sizes, meaning = found["cells"].split(" | ")
    of = matrices(about, letters)
    told = {tuple(map(int, pair)) for pair in re.findall(r"(\d+)\\times (\d+)", sizes)}
    assert {each.size for each in of} == told or sizes == "that of its matrix", "its shape"
    claim = ROLES.get(name) or FUNCTIONS.get(name)
    assert claim is not None, f"no evidence is known for {name}"
    has_words = name in OF_WORDS or about.data["scenario"]["tokens"]
    assert has_words or "word" not in meaning, "there are no words"
    if meaning.startswith("$"):
        written = {flat(each["latex"].partition(" = ")[2]) for one in of for each in one.step["formula"]}
        assert written <= {flat(meaning.strip("$"))}, f"its formula is {written}"
    return all(claim(each) for each in of)
