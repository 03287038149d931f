"""Reasons and leads: a reason holds where the step is what the reason speaks of."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from tests.sentences.evidence import BENDS, factors
from tests.sentences.of_legends import (
    _gathers,
    candidates,
    hides,
    in_scores,
    is_one_hot,
    pushed_down,
    rows_alike,
    sums_to_one,
)
from tests.sentences.of_pages import _always
from tests.sentences.of_steps import Found
from tests.sentences.page import NUMBER, SYMBOL, About, Check, Kind, flat
from tests.sentences.values import mean, mp, parsed, same, turned, variance, work_out


def _plain(about: About) -> str:
    return str(about.step["written"]).replace(" ", "")


Names = Mapping[str, str]
"""The matrices that a sentence names, and what else it says, by the groups of its form."""


def is_made_by(pattern: str, also: Callable[[About, Names], bool] = lambda about, names: True) -> Check:
    """That the formula of the step has this form, ``{name}`` being the matrix that the sentence calls so."""

    def holds(about: About, found: Found) -> bool:
        about = about.called(found["NAME"]) if "NAME" in found.re.groupindex else about
        names = {
            key: about.called(symbol).name for key, symbol in found.groupdict().items() if symbol and key.isupper()
        }
        form = pattern
        for key, name in names.items():
            form = form.replace(f"{{{key}}}", re.escape(name))
        named = {key: text or "" for key, text in found.groupdict().items()} | names
        return bool(re.search(form, _plain(about))) and also(about, named)

    return holds


def _turned(about: About) -> bool:
    return turned(about.operand.value) == about.value


def _positive_shares(about: About) -> bool:
    return all(x > 0 for x in about.entries) and sums_to_one(about)


def _over_keys(about: About, names: Names) -> bool:
    """That a row of weights is a query's, shared out over keys: rows are compared, or other rows mixed by it."""
    return about.evidence.attends(about.name) and sums_to_one(about)


def _asks_with(about: About, weights: str) -> bool:
    """Whether queries are made by these weights too."""
    return any(weights in about.evidence.named(about.evidence.opened(left)) for left, _ in about.evidence.compared)


def _compares_with(about: About, weights: str) -> bool:
    """Whether queries or keys are made by these weights too."""
    both = (side for pair in about.evidence.compared for side in pair)
    return any(weights in about.evidence.named(about.evidence.opened(side)) for side in both)


def _is_compared(about: About, names: Names) -> bool:
    """Whether shares are made of a comparison, with its queries as rows."""
    return any(
        names["OF"] in about.evidence.named(left) and names["TO"] in about.evidence.named(right)
        for left, right in about.evidence.compared
    )


def _by_width(about: About, compared: str) -> bool:
    """Whether one of the divisors is the root of the width of what is compared."""
    width = len(about.values[compared][0])
    roots = re.findall(r"sqrt\(([^()]+)\)", _plain(about))
    roots += [str(row) for name in about.step["uses"] for row in re.findall(r"sqrt\(([^()]+)\)", _made(about, name))]
    return any(same(work_out(root, about.values)[0][0], mp.mpf(width)) for root in roots)


def _made(about: About, name: str) -> str:
    return str(about.at(name).step.get("written") or "")


def _grows_with_distance(about: About) -> bool:
    """Whether entries only fall with the distance from the diagonal."""
    value = about.value
    places = [(abs(i - j), x) for i, row in enumerate(value) for j, x in enumerate(row)]
    pairs = [(x, y) for p, x in places for q, y in places if p < q]
    return all(x >= y for x, y in pairs) or all(x <= y for x, y in pairs)


def _is_moved(about: About) -> bool:
    """Whether all entries of a row are those of an operand, and one number more."""
    of = [about.values[name] for name in about.step["uses"]]
    alike = [value for value in of if (len(value), len(value[0])) == about.size]
    return any(
        all(
            same(a - b, row[0] - old[0])
            for row, old in zip(about.value, value, strict=True)
            for a, b in zip(row, old, strict=True)
        )
        for value in alike
    )


def _is_key_value(about: About, name: str) -> bool:
    """Whether something is the sum of what every key and its value make together, and is used by queries."""
    evidence = about.evidence
    first, *others = factors(evidence.opened(ast.Name(name)))
    last = [each[-1] for each in evidence.products if len(each) > 1]
    is_used = any(isinstance(each, ast.Name) and each.id == name for each in last)
    return evidence.turned(first) is not None and bool(others) and is_used


def _multiplies(about: About, left: str, right: str) -> bool:
    return any([*map(ast.unparse, product[:2])] == [left, right] for product in about.evidence.products)


def _mixture(about: About, found: Found) -> bool:
    about = about.called(found["NAME"])
    weights = about.at(_plain(about).split("@")[0])
    values = about.called(found["OF"])
    if not found["shares"]:
        return weights.name in about.values and sums_to_one(weights)
    i = int(found["row"] or 1) - 1
    assert not found["label"] or weights.rows[i] == found["label"], "the row has another label"
    told = re.findall(rf"({NUMBER}) of (row \d+|the row of “[^”]*”(?: in place \d+)?)", found["shares"])
    taken = []
    for figure, place in told:
        (j,) = values.places(place.removeprefix("the row of "), i, values.rows, len(values.value))[0]
        assert weights.is_figure(figure, weights.value[i][j]), f"{place} has another share"
        taken.append(j)
    printed = [j for j, text in enumerate(weights.printed[i]) if text.strip("0.")]
    return taken == printed[: len(taken)] and bool(found["more"]) == (len(printed) > len(taken))


def _mixes_by_comparison(about: About) -> bool:
    """Whether shares of a comparison mix other rows: then they are attention."""
    evidence = about.evidence
    is_mixing = any(about.name in evidence.named(each) for each in evidence.mixing)
    return is_mixing and any(True for _ in evidence.pairs(ast.Name(about.operand.name)))


def _signs_of(about: About) -> list[ast.BinOp]:
    return [part for part in about.evidence.parts(parsed(about.step["written"])) if isinstance(part, ast.BinOp)]


def _has_number(about: About) -> bool:
    """Whether a number stands beside a matrix."""
    is_number = about.evidence.is_number
    return any(is_number(part.left) != is_number(part.right) for part in _signs_of(about))


def _by_sign(*kinds: type) -> Check:
    """That a sign of this kind stands between matrices."""

    def holds(about: About, found: Found) -> bool:
        signs = [part for part in _signs_of(about) if isinstance(part.op, kinds)]
        return any(not about.evidence.is_number(part.right) for part in signs)

    return holds


def _repeated(about: About, found: Found) -> bool:
    """That matrices of one row or column stand beside larger ones."""
    names = [about.called(symbol).value for symbol in re.findall(r"\$[^$]+\$", found["names"])]
    wide = about.value if found["axis"] == "rows" else turned(about.value)
    return all(len(each if found["axis"] == "rows" else each[0]) == 1 for each in names) and len(wide) == int(
        found["count"].strip("$")
    )


def _is_of_scores(about: About) -> bool:
    """Whether a mask hides scores before they are made into shares, or weights after that."""
    return in_scores(about) or any(about.name in about.evidence.named(part) for part in about.evidence.calls("keep"))


def _between_layers(about: About) -> bool:
    """Whether what is bent comes from one layer and goes into another."""
    return any(
        about.evidence.goes_into_layer(name) and about.evidence.is_of_bend(name) for name in about.evidence.formulas
    ) and bool(BENDS)


def _all_from_here(about: About) -> bool:
    """Whether no later step uses the matrix that a row was taken from."""
    steps = list(about.evidence.formulas)
    later = steps[steps.index(about.name) + 1 :]
    return not any(about.operand.name in about.evidence.named(about.evidence.formulas[name]) for name in later)


M = rf"(?P<NAME>{SYMBOL})"
OF, TO, BY = (rf"(?P<{key}>{SYMBOL})" for key in ("OF", "TO", "BY"))

WHY = (
    ("why_softmax", r"Numbers can only be shared out by if none is negative and they sum to 1: softmax turns any scores into such shares, the higher the score, the larger\.", is_made_by(r"softmax\(", lambda a, n: _positive_shares(a))),
    ("why_layer_norm", r"Rows that grow from layer to layer make deep stacks hard to train, so every row is brought to the same scale\.", is_made_by(r"layer_norm\(")),
    ("why_rms_norm", r"Rows that grow from layer to layer make deep stacks hard to train, so every row is brought to the same size; for that the mean need not be subtracted\.", is_made_by(r"rms_norm\(")),
    ("why_relu", r"Without something that is not linear, layers in a row would be no more than a single one\.", is_made_by(r"relu\(", lambda a, n: _between_layers(a))),
    ("why_causal_mask", r"If a position saw what comes after it, predicting the next token would be copying\.", is_made_by(r"causal_mask\(", lambda a, n: hides(a) and _is_of_scores(a))),
    ("why_window_mask", r"Looking at every position costs a number that grows with the square of the length; those far away rarely matter, so only neighbours are seen\.", is_made_by(r"window_mask\(", lambda a, n: hides(a) and _is_of_scores(a))),
    ("why_padding_mask", r"Padding only fills a sequence up to the length of its batch; whoever attended to it would mix in something that means nothing\.", is_made_by(r"padding_mask\(", lambda a, n: hides(a) and _is_of_scores(a))),
    ("why_row", r"From here on only one row is needed\.", is_made_by(r"row\(", lambda a, n: _all_from_here(a))),
    ("why_keep", r"Weights may also be hidden after softmax: it comes to the same as masking the scores, once what stays visible is divided by its sum\.", is_made_by(r"keep\(", lambda a, n: a.evidence.attends(a.operand.name))),
    ("why_exp", r"Scores may be negative, and shares may not: the exponential makes every number positive and keeps the order\.", is_made_by(r"exp\(")),
    ("why_unit", r"Long rows have large dot products with everything; with every row at length 1, dot products are cosines\.", is_made_by(r"unit\(")),
    ("why_proportions", r"Numbers of any size do not say how large a part each of them is; divided by their sum they are shares of a whole\.", is_made_by(r"proportions\(", lambda a, n: sums_to_one(a))),
    ("why_entropy", r"Is a row spread evenly or not\? Entropy says it in one number\.", is_made_by(r"entropy\(")),
    ("why_argmax", r"In the end one has to be chosen: the greedy choice takes the largest entry and leaves nothing to chance\.", is_made_by(r"argmax\(", lambda a, n: candidates(a.operand))),
    ("why_log", r"Products of many probabilities become too small to tell apart; with logarithms they are sums\.", is_made_by(r"log\(", lambda a, n: all(0 < x <= 1 for x in a.operand.entries))),
    ("why_rotary", r"A dot product does not see where its two rows stand; if they are turned this way, it depends on their distance, and on nothing else of their places\.", is_made_by(r"rotary\(")),
    ("why_cross_entropy", r"Training needs one number that says how wrong the predictions are: the mean of −ln of the probability of each right answer, 0 if all of them were sure\.", is_made_by(r"cross_entropy\(")),
    ("why_cached_mask", r"The queries are the last positions: they may see the keys in the cache, but still none that comes after them\.", is_made_by(r"cached_mask\(", lambda a, n: _is_of_scores(a))),
    ("why_broadcast", r"A bias is a single row, and every row needs it: it is written once for each of them\.", is_made_by(r"broadcast\(", lambda a, n: rows_alike(a))),
    ("why_elu", r"ReLU drops everything below zero; here the curve flattens towards −1 instead, and above zero nothing changes\.", is_made_by(r"elu\(")),
    ("why_head", r"With one set of weights, everything that might matter is averaged; each head works on its own columns and can look for something else\.", is_made_by(r"head\(", lambda a, n: a.evidence.is_query(a.name) or a.evidence.is_key(a.name) or a.evidence.is_value(a.name))),
    ("why_one_hot", r"An id is only a number on a list; as a row with a single 1 it can take part in a matrix product\.", is_made_by(r"one_hot\(", lambda a, n: is_one_hot(a))),
    ("why_cosine", r"A long vector has large dot products with everything; divided by both lengths, only the angle counts\.", is_made_by(r"cosine\(")),
    ("why_angle", r"The angle compares directions and knows nothing of lengths\.", is_made_by(r"angle\(")),
    ("why_tanh", r"Numbers without bounds can run away; the tanh is nearly a straight line around 0 and always stays between −1 and 1\.", is_made_by(r"tanh\(", lambda a, n: all(abs(x) < 1 for x in a.entries))),
    ("why_gelu", r"ReLU has a corner at 0, and to the left of it nothing can be learned; GELU weights each number by the share of the normal distribution below it, a smooth curve\.", is_made_by(r"gelu\(")),
    ("why_gelu_tanh", r"The error function in GELU is costly to compute; this form comes close to it with nothing but a tanh\.", is_made_by(r"gelu_tanh\(")),
    ("why_silu", r"ReLU has a corner at 0, and to the left of it nothing can be learned; multiplied by its own sigmoid, a number passes the more the larger it is, on a smooth curve\.", is_made_by(r"silu\(")),
    ("why_additive_scores", r"A dot product cannot be taught what fits together; a small network that compares every query with every key can\.", is_made_by(r"additive_scores\(")),
    ("why_sinusoidal", r"Attention alone does not see the order of the tokens; waves of different lengths give each position a pattern of its own\.", is_made_by(r"sinusoidal\(")),
    ("why_distance", r"Scores alone do not tell near from far: how far apart two positions are has to be known first\.", is_made_by(r"distance\(")),
    ("reason_queries", rf"What a word is does not say what it is looking for: {BY} makes a question out of each row of {OF}, a row of {M}\.", is_made_by(r"{OF}@{BY}", lambda a, n: a.evidence.is_query(n["NAME"]))),
    ("reason_keys", rf"Questions need something to be matched against: each row of {M} is what a word advertises\. It has weights {BY} of its own, because being found is not the same as asking\.", is_made_by(r"@{BY}", lambda a, n: a.evidence.is_key(n["NAME"]) and not _asks_with(a, n["BY"]))),
    ("reason_values", rf"What is good for finding a word need not be what it has to tell: through {BY} each row of {M} gets what is passed on to those that attend to it\.", is_made_by(r"@{BY}", lambda a, n: a.evidence.is_value(n["NAME"]) and not _compares_with(a, n["BY"]))),
    ("reason_keys_alike", rf"Questions need something to be matched against: each row of {M} is what a word advertises\.", is_made_by(r"@", lambda a, n: a.evidence.is_key(n["NAME"]))),
    ("reason_values_alike", rf"Finding a word is not enough, something has to be passed on: the rows of {M}, to those that attend to them\.", is_made_by(r"@", lambda a, n: a.evidence.is_value(n["NAME"]))),
    ("reason_comparison", rf"Who should listen to whom\? Every row of {OF} is compared with every row of {TO}: the better they fit, the larger the entry\.", is_made_by(r"{OF}", lambda a, n: _is_compared(a, n) and n["OF"] != n["TO"])),
    ("reason_comparison_scaled", rf"Who should listen to whom\? Every row of {OF} is compared with every row of {TO}: the better they fit, the larger the score\. Dot products of long rows spread widely, and softmax would give nearly everything to one word; the divisor makes up for that\.", is_made_by(r"{OF}", lambda a, n: _is_compared(a, n) and n["OF"] != n["TO"] and _by_width(a, n["OF"]))),
    ("reason_self_comparison", rf"Which words belong together\? Every row of {OF} is compared with every row, itself included: the more two of them point the same way, and the longer they are, the larger the entry\.", is_made_by(r"{OF}@{OF}\.T|dot\({OF},{OF}\)")),
    ("reason_self_comparison_scaled", rf"Which words belong together\? Every row of {OF} is compared with every row, itself included\. Dot products of long rows spread widely; the divisor makes up for that\.", is_made_by(r"{OF}@{OF}\.T|dot\({OF},{OF}\)", lambda a, n: _by_width(a, n["OF"]))),
    ("reason_column_comparison", rf"Which features go together\? Here columns are compared: an entry is large where two columns of {OF} are large in the same rows\.", is_made_by(r"{OF}\.T@{OF}")),
    ("reason_scaled", rf"The more numbers a vector has, the wider scores spread: without dividing {OF} by the root of the width, softmax would give nearly everything to one word\.", is_made_by(r"{OF}", lambda a, n: all(_by_width(a, each) for left, _ in a.evidence.pairs(ast.Name(n["OF"])) for each in a.evidence.named(left)) and in_scores(a))),
    ("reason_masked", r"Some words must not be seen\. Adding (?:\$[^$]+\$|\S+) leaves the visible scores as they are and pushes the hidden ones so far down that softmax has nothing left for them\.", is_made_by(r"\+", lambda a, n: pushed_down(a) and in_scores(a))),
    ("reason_biased", rf"Without {OF}, a word far away counts as much as one nearby; with it, the one far away has to fit better to be heard as much\.", is_made_by(r"{OF}", lambda a, n: in_scores(a) and _grows_with_distance(a.at(n["OF"])))),
    ("reason_moved", r"Only how far the entries of a row are apart matters: all of them go up or down by the same number\.", is_made_by(r"[+-]", lambda a, n: _is_moved(a))),
    ("reason_weights", rf"Scores may be negative and have no fixed total, so one cannot share out by them\. Softmax can: a row of {M} says how one query divides its attention among the keys it may look at\.", is_made_by(r"^softmax\(", _over_keys)),
    ("reason_weights_by_hand", rf"To share out by positive numbers, they have to sum to 1, so each is divided by the sum of its row; of exponentials this is softmax\. A row of {M} says how one query divides its attention among the keys it may look at\.", is_made_by(r"/|proportions", _over_keys)),
    ("reason_weights_again", rf"Where weights were hidden, a row no longer sums to 1\. Dividing each row of {OF} by its sum makes shares of a whole again\.", is_made_by(r"proportions\({OF}\)", lambda a, n: sums_to_one(a) and a.evidence.attends(a.name))),
    ("reason_weights_row", rf"To see whom one word attends to, one row of {OF} is enough\.", is_made_by(r"row\({OF},", lambda a, n: a.evidence.attends(n["OF"]))),
    ("reason_weights_mean", r"Every head has weights of its own, too many to look at\. Their average shows in one picture where attention goes, and hides what sets the heads apart\.", is_made_by(r"\+.*[/*]|[/*].*\+", lambda a, n: sums_to_one(a) and all(a.evidence.attends(each) for each in a.step["uses"]))),
    ("reason_mixture", rf"Weights alone pass nothing on: each row of {M} is a weighted mixture of the rows of {OF}\.(?: (?:Row (?P<row>\d+)|The row)(?: \(“(?P<label>[^”]*)”\))? takes (?P<shares>.*?)(?P<more>, and so on)?\.(?!\d))?", _mixture),
    ("reason_mixed_at_once", rf"Going through all words again for each query would cost too much: it reads its mixture out of {OF} in one product, however many words stand behind it\.", is_made_by(r"@{OF}", lambda a, n: _is_key_value(a, n["OF"]))),
    ("reason_divided_mixture", rf"The weights behind {OF} do not sum to 1 yet\. Divided by their sum, the mixture is an average\.", is_made_by(r"^{OF}/")),
    ("reason_key_value", rf"Weights for every pair of words grow with the square of their number\. {M} adds up what all keys and values have to say together: it is computed once and does not grow with the number of words\.", is_made_by(r"\.T@", lambda a, n: _is_key_value(a, n["NAME"]))),
    ("reason_features", rf"Weights must not be negative\. All entries of {M} are positive, and so are their products: these can serve as weights without a softmax\.", is_made_by(r"elu\(", lambda a, n: all(x > 0 for x in a.at(n["NAME"]).entries) and (a.evidence.is_query(n["NAME"]) or a.evidence.is_key(n["NAME"])))),
    ("reason_residual", rf"A layer that replaced its input would lose what it does not copy\. {OF} is added back in, so {TO} only has to say what should change\.", is_made_by(r"{OF}\+{TO}|{TO}\+{OF}", lambda a, n: a.evidence.depends(n["TO"], n["OF"]))),
    ("reason_residual", rf"A layer that replaced its input would lose what it does not copy\. {OF} is added back in, so (?P<formula>\$.+?\$) only has to say what should change\.", is_made_by(r"^{OF}\+|\+{OF}$", lambda a, n: any(a.evidence.depends(each, n["OF"]) or each == n["OF"] for each in a.step["uses"]))),
    ("reason_logits", rf"A vector does not say yet which candidate it means\. Each column of {BY} belongs to one candidate; its dot product with a row of {OF} is that candidate’s score\.", is_made_by(r"{OF}@{BY}", lambda a, n: candidates(a))),
    ("reason_probabilities", r"Scores only say who is ahead\. As shares of 1 they also say how sure to be, and one can draw by them\.", is_made_by(r"^softmax\(", lambda a, n: sums_to_one(a) and candidates(a) and not _mixes_by_comparison(a))),
    ("reason_target_probability", rf"Only the right answers count in judging a prediction: the 1 in each row of {OF} leaves just their probabilities\.", is_made_by(r"\*", lambda a, n: is_one_hot(a.at(n["OF"])) and any(sums_to_one(a.at(each)) and each != n["OF"] for each in a.step["uses"]))),
    ("reason_shared_again", rf"What was cut off leaves a gap in the total of 1: the entries chosen in {OF} share out the whole among themselves\.", is_made_by(r"proportions\(", lambda a, n: sums_to_one(a) and all(x == 0 for rows in zip(a.at(n["OF"]).value, a.value, strict=True) for kept, x in zip(*rows, strict=True) if kept == 0))),
    ("reason_surprise", r"A good prediction should cost little and a bad one much: a right answer that was thought sure costs nothing, and the less it was expected, the more it costs\.", is_made_by(r"-.*log\(", lambda a, n: all(x >= 0 for x in a.entries))),
    ("reason_loss", rf"Training can only make one number smaller: the mean of {OF}\.", is_made_by(r"{OF}", lambda a, n: a.size == (1, 1) and same(a.value[0][0], mean(a.at(n["OF"]).entries)))),
    ("reason_perplexity", r"A loss is hard to picture\. In this form it says among how many equally likely candidates one would be as unsure\.", is_made_by(r"^exp\(", lambda a, n: all(x >= 1 for x in a.entries))),
    ("reason_heads_joined", r"Each head has found a part of what a word needs\. Side by side, the parts form one row per word again\.", is_made_by(r"^concat\(", lambda a, n: all(map(a.evidence.is_mixture, a.step["uses"])))),
    ("reason_attention_output", rf"What was gathered is not yet in the terms of the input: {BY} translates it back, and where there are several heads it also mixes what they found\.", is_made_by(r"@{BY}", lambda a, n: _gathers(a))),
    ("reason_hidden", rf"Single features say little; combinations of them do\. Each column of {BY} looks for one in a row of {OF}, and {M} says how strongly it is there\.", is_made_by(r"{OF}@{BY}", lambda a, n: a.evidence.is_bent(n["NAME"]))),
    ("reason_second_layer", rf"Having found a combination is no use by itself: each row of {BY} says what to add to the output when its combination is present in {OF}\.", is_made_by(r"{OF}@{BY}", lambda a, n: a.evidence.is_of_bend(n["OF"]))),
    ("reason_biased_rows", rf"A product alone gives 0 for 0\. {OF} moves every row by the same amount, whichever word it is\.", is_made_by(r"\+{OF}", lambda a, n: rows_alike(a.at(n["OF"])))),
    ("reason_one_hot", rf"An id cannot be multiplied by a table\. With a single 1 in each row of {M}, the product with {OF} takes out just the row that is wanted\.", is_made_by(r"one_hot\(", lambda a, n: is_one_hot(a.at(n["NAME"])) and _multiplies(a, n["NAME"], n["OF"]))),
    ("reason_embeddings", rf"Words cannot be compared, but numbers can: each word gets its own row of {OF}\.", is_made_by(r"@{OF}", lambda a, n: all(row in a.at(n["OF"]).value for row in a.value))),
    ("reason_placed", rf"{OF} knows which word it is and {TO} where it stands; whatever follows needs both, in a single row\.", is_made_by(r"{OF}\+{TO}")),
    ("reason_keys_turned", r"A product takes rows with columns, and keys are rows: turned into columns, every query can be compared with every key\.", is_made_by(r"\.T$", lambda a, n: _turned(a) and a.evidence.is_key(a.operand.name))),
    ("reason_normalised", r"Rows of very different sizes are hard to work with\. Less its mean and divided by the root of its variance, a row is on the same scale as every other, however large its entries were; a row of equal entries becomes 0\.", is_made_by(r"/", lambda a, n: all(abs(mean(row)) < mp.mpf(10) ** -40 and variance(row) <= 1 + mp.mpf(10) ** -40 for row in a.value))),
    ("reason_by_size", r"Rows of very different sizes are hard to work with\. Divided by the root of the mean of its squares, a row has entries of the same size as every other, whatever came in\.", is_made_by(r"/", lambda a, n: all(mean([x * x for x in row]) <= 1 + mp.mpf(10) ** -40 for row in a.value))),
    ("reason_gained_shifted", rf"The same scale for all columns need not suit the next layer: {OF} and {TO}, which are learned, give each column its own size and place\.", is_made_by(r"\*.*\+|\+.*\*", lambda a, n: {n["OF"], n["TO"]}.isdisjoint(a.evidence.formulas))),
    ("reason_gained", rf"The same size for all columns need not suit the next layer: {OF}, which is learned, gives each column its own\.", is_made_by(r"\*", lambda a, n: n["OF"] not in a.evidence.formulas)),
    ("reason_sigmoid", r"To say how much passes, a number has to lie between 0 and 1: the sigmoid brings every number there and keeps the order\.", is_made_by(r"/", lambda a, n: all(0 < x < 1 for x in a.entries))),
    ("reason_one_comparison", rf"How well do the two fit\? The better {OF} and {TO} do, the larger the score\.(?P<divided> The divisor makes up for vectors with many numbers, whose dot products spread more widely\.)?", is_made_by(r"dot\({OF},{TO}\)", lambda a, n: _is_compared(a, n) and (not n["divided"] or _by_width(a, n["OF"])))),
    ("reason_share", r"An exponential alone says nothing about its part of the whole\. Divided by the sum of all exponentials it is a share of 1: this is softmax, one entry at a time\.", is_made_by(r"/", lambda a, n: all(0 < x <= 1 for x in a.entries))),
    ("reason_mixed_one_by_one", rf"Nothing has been passed on yet\. The weights are shares, so {M} is a weighted mixture: the larger the weight of a vector, the closer (?P=NAME) comes to it\.", is_made_by(r"\*.*\+")),
)  # fmt: skip


def _squared(about: About, found: Found) -> bool:
    """The only bold and underlined entry of the layout stands in this row and this column of the product."""
    blocks = [block for names, block in about.blocks if about.name in names]
    (layout,) = [block["displays"][0] for block in blocks if block.get("shows") == "squared"]
    body = layout.split(r"\hline")[1].split(r"\\")
    meet = [
        (i, j) for i, row in enumerate(body) for j, cell in enumerate(row.split("&")) if r"\underline{\mathbf" in cell
    ]
    width = len(body[0].split("&")) - len(about.value[0])
    product = parsed(about.step["written"])
    assert isinstance(product, ast.BinOp), "no product"
    sides = [(side.value if isinstance(side, ast.Attribute) else side, side) for side in (product.left, product.right)]
    symbols = [
        about.at(ast.unparse(name)).step["symbol"]["latex"] + ("^T" if name is not side else "") for name, side in sides
    ]
    assert flat(found["product"]) == flat("".join(symbols)), "it is another product"
    return meet == [(int(found["row"]) - 1, width + int(found["column"]) - 1)]


LEADS = (
    ("lead_entry", r"The general entry:", _always),
    ("lead_worked", r"(?:One entry|Two entries|A few entries) worked out:", _always),
    ("lead_all_entries", r"Every entry worked out:", _always),
    ("lead_closed_form", r"Without rounding:", _always),
    ("likewise", rf"As with {SYMBOL}:", _always),
    ("said_argmax", r"Here argmax is the column of the largest entry, the first one where several are equal\. Columns count from 1, ids from 0\.", is_made_by(r"argmax\(")),
    ("said_argmin", r"Here argmin is the column of the smallest entry, the first one where several are equal\. Columns count from 1, ids from 0\.", is_made_by(r"argm(?:in|ax)\(")),
    ("said_top_k", rf"The rank of an entry is its place in its row of {OF}, counted from the largest entry down; equal entries rank in the order of their columns\.", is_made_by(r"top_k\({OF},")),
    ("lead_squared", r"The product \$(?P<product>[^$]+)\$ laid out on graph paper: the left factor on the left, the right factor on top\. Row (?P<row>\d+) \(bold\) and column (?P<column>\d+) \(underlined\) cross at the entry worked out above\.", _squared),
    ("largest_taken_off", r"The largest score \S+ of a row is subtracted from all of its scores first, so that every exponential lies between 0 and 1\. That changes no weight: numerator and denominator are both divided by \$[^$]+\$\.", is_made_by(r"softmax\(")),
    ("in_every_row", r"(?P<names>\$.+?\$) (?:is|are) repeated in each of the (?P<count>\$?\d+\$?) (?P<axis>rows|columns)\.", _repeated),
    ("sign_fraction", r"The fraction divides entry by entry\.", _by_sign(ast.Div)),
    ("sign_times", r"\$\\odot\$ multiplies entry by entry\.", _by_sign(ast.Mult)),
    ("sign_divide", r"\$\\oslash\$ divides entry by entry\.", lambda about, found: "divide(" in about.step["written"] or _by_sign(ast.Div)(about, found)),
    ("sign_root", r"The root is taken of every entry\.", is_made_by(r"sqrt\(")),
    ("sign_power", r"The power is taken of every entry\.", is_made_by(r"\^|exp")),
    ("said_gelu", r"\$[^$]+\$ is the share of the standard normal distribution below a number\.", is_made_by(r"gelu\(")),
    ("unit_matrix", r"\$[^$]+\$ is the identity matrix: 1 on its diagonal, 0 everywhere else\.", is_made_by(r"identity\(")),
    ("with_number", r"A single number beside a vector or a matrix is used for every entry\.", is_made_by(r"[+*/-]", lambda a, n: _has_number(a))),
)  # fmt: skip
"""What only says what follows, and what a sign means."""

OF_REASONS = tuple(Kind(*each) for each in (*WHY, *LEADS))
