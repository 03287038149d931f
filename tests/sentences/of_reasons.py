"""Reasons and leads: a reason holds where the step is what the reason speaks of."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.sentences.of_pages import _always, _hides, _pushed_down, _sums_to_one
from tests.sentences.of_steps import Found, is_attention
from tests.sentences.page import NUMBER, SYMBOL, About, Check, Kind
from tests.sentences.values import mp, number, same, turned


def _plain(about: About) -> str:
    return str(about.step["written"]).replace(" ", "")


def is_made_by(pattern: str, also: Callable[[About], bool] = lambda about: True) -> Check:
    """That the formula of the step has this form, ``{name}`` being the matrix that the sentence calls so."""

    def holds(about: About, found: Found) -> bool:
        about = about.called(found["NAME"]) if "NAME" in found.re.groupindex else about
        names = {
            key: about.called(symbol).name for key, symbol in found.groupdict().items() if symbol and key.isupper()
        }
        form = pattern
        for key, name in names.items():
            form = form.replace(f"{{{key}}}", re.escape(name))
        return bool(re.search(form, _plain(about))) and also(about)

    return holds


def _turned(about: About) -> bool:
    source, own = about.operand.value, about.value
    return turned(source) == own


def _one_factor(about: About) -> bool:
    """That every entry is the same multiple of that of an operand of the same shape."""
    for name in about.step["uses"]:
        value = about.values[name]
        if (len(value), len(value[0])) == (len(about.value), len(about.value[0])):
            pairs = [(a, b) for rows in zip(value, about.value, strict=True) for a, b in zip(*rows, strict=True)]
            factors = [b / a for a, b in pairs if a]
            if factors and all(same(each, factors[0]) for each in factors) and all(b == 0 for a, b in pairs if not a):
                return len(pairs) > 1
    return False


def _positive_shares(about: About) -> bool:
    return all(x > 0 for row in about.value for x in row) and _sums_to_one(about)


def _over_keys(about: About) -> bool:
    """That a row of weights is a query's, shared out over keys."""
    return is_attention(about) and _sums_to_one(about)


def _mixture(about: About, found: Found) -> bool:
    about = about.called(found["NAME"])
    weights = about.at(_plain(about).split("@")[0])
    values = about.called(found["OF"])
    if not found["shares"]:
        return weights.name in about.values and _sums_to_one(weights)
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


def _divisor(about: About) -> bool:
    """That scores are divided by the root of the width of what is compared."""
    found = re.search(r"/sqrt\((\w+)\)", _plain(about))
    names = [name for name in about.step["uses"] if name in about.named]
    width = len(about.values[names[0]][0])
    return bool(found) and bool(
        same(number(found[1]) if found[1].isdigit() else about.values[found[1]][0][0], mp.mpf(width))
    )


M = rf"(?P<NAME>{SYMBOL})"
OF, TO, BY = (rf"(?P<{key}>{SYMBOL})" for key in ("OF", "TO", "BY"))

WHY = (
    ("why_product", r"A matrix product takes the dot product of every row on the left with every column on the right in one go\.", is_made_by(r"@")),
    ("why_sum", r"Adding entry by entry lets both sides be present in the result\.", is_made_by(r"^[^-]*\+[^-]*$")),
    ("why_quotient", r"A number that multiplies or divides changes the size of all entries and leaves their proportions\.", is_made_by(r"[*/]", _one_factor)),
    ("why_transpose", r"Rows become columns and columns become rows; no entry changes\.", is_made_by(r"\.T$", _turned)),
    ("why_softmax", r"Softmax turns any scores into positive weights that sum to 1, so that a weighted sum is an average\.", is_made_by(r"^softmax\(", _positive_shares)),
    ("why_layer_norm", r"Bringing every row to the same scale keeps deep stacks of layers trainable\.", is_made_by(r"layer_norm\(")),
    ("why_rms_norm", r"Bringing every row to the same size keeps deep stacks of layers trainable; for that the mean need not be subtracted\.", is_made_by(r"rms_norm\(")),
    ("why_relu", r"Without something that is not linear, layers in a row would collapse into a single one\.", is_made_by(r"relu\(")),
    ("why_causal_mask", r"A position must not see what comes after it, or predicting the next token would be copying\.", is_made_by(r"causal_mask\(", _hides)),
    ("why_window_mask", r"A position far away rarely matters, and looking only at neighbours costs a number that grows with the length and not with its square\.", is_made_by(r"window_mask\(", _hides)),
    ("why_padding_mask", r"What only fills a sequence up to the length of its batch means nothing, and nobody may look at it\.", is_made_by(r"padding_mask\(", _hides)),
    ("why_row", r"One row is all that is needed from here on\.", is_made_by(r"row\(")),
    ("why_keep", r"Hiding weights after softmax comes to the same as masking the scores before it: what stays visible only has to be divided by its sum\.", is_made_by(r"keep\(", lambda about: _sums_to_one(about.operand))),
    ("why_exp", r"The exponential makes every number positive and keeps the order\.", is_made_by(r"exp\(")),
    ("why_concat", r"Side by side, the matrices become one that has the columns of all\.", is_made_by(r"concat\(")),
    ("why_clip_norm", r"A step of learning keeps its direction and can no longer be too long\.", is_made_by(r"clip_norm\(", lambda about: about.name.startswith("d"))),
    ("why_unit", r"With every row at length 1, dot products are cosines\.", is_made_by(r"unit\(")),
    ("why_proportions", r"Divided by their sum, numbers become shares of a whole\.", is_made_by(r"proportions\(", _sums_to_one)),
    ("why_entropy", r"Entropy says in one number how evenly a row is spread\.", is_made_by(r"entropy\(")),
    ("why_argmax", r"The greedy choice takes the largest entry and leaves nothing to chance\.", is_made_by(r"argmax\(")),
    ("why_top_k", r"With only the few largest left to choose from, an unlikely token can no longer be drawn by chance\.", is_made_by(r"top_k\(", lambda about: _sums_to_one(about.operand) and any(x == 0 for row in about.value for x in row))),
    ("why_log", r"Logarithms turn products of probabilities into sums and tell small probabilities apart\.", is_made_by(r"log\(", lambda about: _sums_to_one(about.operand))),
    ("why_rotary", r"The dot product of two rows that are turned this way depends on where they stand only through the distance between them\.", is_made_by(r"rotary\(")),
    ("why_cross_entropy", r"The mean of −ln of the probabilities that softmax gives to the right answers: 0 if all of them were sure, and the larger the less they were expected\.", is_made_by(r"cross_entropy\(")),
    ("why_dot", r"The dot product measures how far two vectors point the same way, times their lengths\.", is_made_by(r"dot\(")),
    ("reason_queries", rf"Each row of {M} asks something of the others; {BY} makes the question out of {OF}\.", is_made_by(r"{OF}@{BY}")),
    ("reason_keys", rf"Each row of {M} is a sign that is put up: the questions are compared with it\. It has weights {BY} of its own, because being found is not the same as asking\.", is_made_by(r"@{BY}")),
    ("reason_values", rf"Each row of {M} is handed over to those that attend to it\. What is passed on through {BY} need not resemble what was compared\.", is_made_by(r"@{BY}")),
    ("reason_comparison", rf"Every row of {OF} is compared with every row of {TO}: the better the question and the sign fit, the larger the entry\.", is_made_by(r"{OF}@{TO}\.T")),
    ("reason_comparison_scaled", rf"Every row of {OF} is compared with every row of {TO}: the better they fit, the larger the score\. The divisor makes up for long rows, whose dot products spread more widely\.", is_made_by(r"{OF}@{TO}\.T/")),
    ("reason_self_comparison", rf"Every row of {OF} is compared with every row, itself included: the more two of them point the same way, and the longer they are, the larger the entry\.", is_made_by(r"{OF}@{OF}\.T|dot\({OF},{OF}\)")),
    ("reason_self_comparison_scaled", rf"Every row of {OF} is compared with every row, itself included\. The divisor makes up for long rows, whose dot products spread more widely\.", is_made_by(r"{OF}@{OF}\.T/")),
    ("reason_scaled", rf"Divided by the root of the width, the entries of {OF} stay in a range in which softmax does not give nearly everything to one word\.", is_made_by(r"{OF}/sqrt", _divisor)),
    ("reason_masked", r"Adding (?:\$[^$]+\$|\S+) leaves the visible scores as they are and pushes the hidden ones so far down that softmax has nothing left for them\.", is_made_by(r"\+", _pushed_down)),
    ("reason_weights", rf"Softmax makes shares of the scores: a row of {M} says how one query divides its attention among the keys it may look at\.", is_made_by(r"^softmax\(", _over_keys)),
    ("reason_weights_by_hand", rf"Positive numbers divided by the sum of their row are shares of 1; of exponentials this is softmax\. A row of {M} says how one query divides its attention among the keys it may look at\.", is_made_by(r"/|proportions", _over_keys)),
    ("reason_weights_again", rf"Dividing each row of {OF} by its sum turns the weights that are left into shares of a whole\.", is_made_by(r"proportions\({OF}\)", _sums_to_one)),
    ("reason_weights_row", rf"One row of {OF} by itself shows whom that one word attends to\.", is_made_by(r"row\({OF},", lambda about: is_attention(about.operand))),
    ("reason_mixture", rf"Each row of {M} is a weighted mixture of the rows of {OF}\.(?: (?:Row (?P<row>\d+)|The row)(?: \(“(?P<label>[^”]*)”\))? takes (?P<shares>.*?)(?P<more>, and so on)?\.(?!\d))?", _mixture),
    ("reason_residual", rf"{OF} is added back in: {TO} only has to say what should change, and nothing that was there gets lost\.", is_made_by(r"{OF}\+{TO}|{TO}\+{OF}")),
    ("reason_logits", rf"Each column of {BY} belongs to one candidate; its dot product with a row of {OF} is that candidate's score\.", is_made_by(r"{OF}@{BY}")),
    ("reason_probabilities", r"Scores only say who is ahead\. As shares of 1 they also say how sure to be, and one can draw by them\.", is_made_by(r"^softmax\(", _sums_to_one)),
    ("reason_heads_joined", r"Side by side again, what the heads have found forms one row per word\.", is_made_by(r"^concat\(")),
    ("reason_attention_output", rf"{BY} translates what was gathered into what the next layer understands, and where there are several heads it also mixes what they found\.", is_made_by(r"@{BY}")),
    ("reason_hidden", rf"Each column of {BY} looks for one combination of features in a row of {OF}; {M} says how strongly it is there\.", is_made_by(r"{OF}@{BY}")),
    ("reason_second_layer", rf"Each row of {BY} says what to add to the output when its combination was found in {OF}\.", is_made_by(r"{OF}@{BY}")),
)  # fmt: skip


def _squared(about: About, found: Found) -> bool:
    """The only bold and underlined entry of the layout stands in this row and this column of the product."""
    blocks = [
        block
        for passage in about.data["document"]["passages"]
        if about.name in passage["names"]
        for block in passage["blocks"]
    ]
    (layout,) = [block["displays"][0] for block in blocks if block.get("shows") == "squared"]
    body = layout.split(r"\hline")[1].split(r"\\")
    meet = [
        (i, j) for i, row in enumerate(body) for j, cell in enumerate(row.split("&")) if r"\underline{\mathbf" in cell
    ]
    width = len(body[0].split("&")) - len(about.value[0])
    return meet == [(int(found["row"]) - 1, width + int(found["column"]) - 1)]


LEADS = (
    ("lead_entry", r"The general entry:", _always),
    ("lead_worked", r"(?:One entry|Two entries|A few entries) worked out:", _always),
    ("lead_all_entries", r"Every entry worked out:", _always),
    ("lead_closed_form", r"Without rounding:", _always),
    ("likewise", rf"As with {SYMBOL}:", _always),
    ("said_argmax", r"Here argmax is the column of the largest entry, the first one where several are equal\. Columns count from 1, ids from 0\.", is_made_by(r"argmax\(")),
    ("said_top_k", rf"The rank of an entry is its place in its row of {OF}, counted from the largest entry down; equal entries rank in the order of their columns\.", is_made_by(r"top_k\({OF},")),
    ("lead_squared", r"The whole product as on squared paper, the right factor above and the left one beside it: every entry stands where its row and its column meet\. Row (?P<row>\d+) \(bold\) and column (?P<column>\d+) \(underlined\) meet in the entry that is both\.", _squared),
    ("largest_taken_off", r"The largest score \S+ of a row is subtracted from all of its scores first, so that every exponential lies between 0 and 1\. That changes no weight: numerator and denominator are both divided by \$[^$]+\$\.", is_made_by(r"softmax\(")),
    ("with_number", r"A single number beside a vector or a matrix is used for every entry\.", is_made_by(r"[+*/-]\d")),
)  # fmt: skip
"""What only says what follows, and what a sign means."""

OF_REASONS = tuple(Kind(*each) for each in (*WHY, *LEADS))
