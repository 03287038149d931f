"""What a page says around its steps: beginning, legend, shapes, pictures, end, and how its figures are rounded."""

from __future__ import annotations

import ast
import re
import tomllib

from tests.sentences.evidence import called
from tests.sentences.of_legends import candidates, hides, is_given, legend, matrices, sums_to_one
from tests.sentences.of_steps import LARGE, Found, _mask, is_attention, other_figures
from tests.sentences.page import NUMBER, SYMBOL, About, Kind, largest
from tests.sentences.values import groups, mp, number, same, work_out

QUOTED = r"“[^”]*”"
PLACE = r"(?:(?:row|column) \d+|“[^”]*”(?: in place \d+)?)"


def _quoted(text: str) -> list[str]:
    return re.findall(r"“([^”]*)”", text)


def _always(about: About, found: Found) -> bool:
    """A label of what follows it, which says nothing of the numbers."""
    return True


# -- beginning ---------------------------------------------------------------------------------------------------------


def _written(about: About) -> list[tuple[str, str]]:
    return [(step["name"], step["written"].replace(" ", "")) for step in about.data["steps"]]


def _weights(about: About) -> list[About]:
    """The softmaxes that share out attention."""
    found = (about.at(name) for name, written in _written(about) if written.startswith(("softmax(", "proportions(")))
    return [each for each in found if is_attention(each)]


def _follows(about: About, found: Found) -> bool:
    return int(found["count"]) == len(about.data["scenario"]["tokens"]) > 0


def _compares(about: About, found: Found) -> bool:
    """What is compared: queries with other keys, or rows with themselves; and whether shares of it mix rows."""
    evidence = about.evidence
    asks = "heads" in found.re.groupindex
    joined = [len(each.args) for each in evidence.calls("concat")]
    compares = any((ast.unparse(left) != ast.unparse(right)) == asks for left, right in evidence.compared)
    mixes = any(evidence.attends(name) for each in evidence.mixing for name in evidence.named(each))
    heads_fit = not (asks and joined) or int(found["heads"] or 1) in (1, *joined)
    return compares and (mixes or not (asks or found["mixes"])) and heads_fit


def _places(about: About, found: Found) -> bool:
    """Whether waves, or given rows, are added to what is looked up or given, one for each."""
    added = [part.right for part in about.evidence.signs(ast.Add)]
    return any(called(about.evidence.opened(each)) == "sinusoidal" or ast.unparse(each)[0] in "pP" for each in added)


def _network(about: About, found: Found) -> bool:
    """Whether a layer comes before something that is not linear, and another one after it."""
    names = about.evidence.formulas
    return any(map(about.evidence.is_bent, names)) and any(
        about.evidence.is_of_bend(name) and about.evidence.goes_into_layer(name) for name in names
    )


def _candidates(about: About, found: Found) -> bool:
    ends = [about.at(name) for name, written in _written(about) if written.startswith("softmax(")]
    wide = any(len(each.value[0]) == int(found["count"]) and each.at(each.name) not in _weights(about) for each in ends)
    has_loss = any(re.search(r"cross_entropy|-log\(", written) for _, written in _written(about))
    return wide and (not found["loss"] or has_loss)


def _tokens(about: About, found: Found) -> bool:
    tokens = list(about.data["scenario"]["tokens"])
    return int(found["count"]) == len(tokens) and (not found["listed"] or _quoted(found["listed"]) == tokens)


def _labels(about: About, found: Found) -> bool:
    return _quoted(found["listed"]) in [list(each) for each in about.data["scenario"]["labels"].values()]


def _candidate_labels(about: About, found: Found) -> bool:
    """Labels of the columns of shares that are no attention of rows to rows."""
    ends = [about.at(name) for name, written in _written(about) if written.startswith("softmax(")]
    listed = _quoted(found["listed"])
    return any(list(each.columns) == listed and each.step["rows"] != each.step["columns"] for each in ends)


def _sizes(about: About, found: Found) -> bool:
    pairs = re.findall(r"\$(?:\\mathrm\{)?(\w+)\}? = (\d+)\$", found[0])
    return bool(pairs) and all(about.data["sizes"][name] == int(size) for name, size in pairs)


def _left(about: About, found: Found) -> bool:
    """How many of the names that the page shows are not in the table."""
    passages = about.data["document"]["passages"]
    shown = {name for passage in passages for name in passage["names"] if name in about.named}
    tables = [block["rows"] for _, block in about.blocks if block["block"] == "table"]
    listed = {each.name for rows in tables for row in rows for each in matrices(about, row[0][0]["tex"])}
    return (1 if found["count"] == "One" else int(found["count"])) == len(shown - listed)


# -- shapes and pictures -----------------------------------------------------------------------------------------------


def _shapes(about: About, found: Found) -> bool:
    """Every matrix of a line of shapes has its shape, and the products in it fit."""
    told = re.findall(r"((?:[A-Za-z\\][\w\\{}]*?)(?:_\{?[\w ]+\}?)?)(\^T)?\\ \((\d+)\\times (\d+)\)", found["line"])
    known = {each["symbol"]["latex"]: name for name, each in about.named.items()}
    fits = True
    for symbol, turned, rows, columns in told:
        if symbol in known:
            size = about.at(known[symbol]).size
            fits &= (int(rows), int(columns)) == (size[::-1] if turned else size)
    products = re.findall(r"(\d+)\\times (\d+)\)\\cdot [^()=\\]+\\ \((\d+)\\times", found["line"])
    # X · X may be dot products of rows, which fit when their rows are as long.
    is_product = "dot(" not in about.step["written"]
    for rows, wide, high in products if is_product else ():
        fits &= wide == high or (rows, wide) == ("1", "1")  # a number beside a matrix
    last = re.findall(r"= [^=]*\\ \((\d+)\\times (\d+)\)\s*$", found["line"])
    return fits and (not last or tuple(map(int, last[0])) == about.size)


def _picture_of(about: About, found: Found) -> About:
    return about.called(found["symbol"])


def _heatmap(about: About, found: Found) -> bool:
    of = _picture_of(about, found)
    assert of.size == (int(found["n"]), int(found["m"])), "another shape"
    for row, listed, figure in re.findall(
        rf"({PLACE}) at ({PLACE}(?: and {PLACE})*), ({NUMBER})", found["listed"] or ""
    ):
        (i,) = of.places(row, -1, of.rows, len(of.value))[0]
        ok = of.is_list(listed, largest(of.value[i])) and of.is_figure(figure, max(of.value[i]))
        assert ok, f"the largest figures of {row} are others"
    return True


def _every_figure(about: About, found: Found) -> bool:
    """Bars and arcs: each figure that is told is that of its row and its column."""
    of = _picture_of(about, found)
    for told in found["listed"].split("; "):
        row = re.match(rf"(?:From )?({PLACE})(?:: | to )", told)
        (i,) = of.places(row[1], -1, of.rows, len(of.value))[0] if row else {0}
        assert row or len(of.value) == 1, "it is not said of which row"
        for column, figure in re.findall(rf"({PLACE}) ({NUMBER})", told[row.end() if row else 0 :]):
            (j,) = of.places(column, -1, of.columns, len(of.value[0]))[0]
            assert of.is_figure(figure, of.value[i][j]), f"{column} of row {i + 1} is another"
    return True


def _wave(about: About, found: Found) -> bool:
    of = _picture_of(about, found)
    return of.size == (int(found["n"]), int(found["m"]))


def _worth(text: str) -> tuple[mp.mpf, mp.mpf]:
    """A printed number, which may be a fraction, and how far it may be from what it stands for."""
    top, _, bottom = text.partition("/")
    return number(top) / (number(bottom) if bottom else 1), 0 if bottom else mp.mpf(10) ** -len(text.partition(".")[2])


def _arrows(about: About, found: Found) -> bool:
    """Each arrow is a row of the matrix that it is named after, with its angle from the first."""
    told = re.findall(rf"(?:^|; )([^=;]+) = \(([^,]+), ([^)]+)\)(?:, ({NUMBER})°)?", found["listed"])
    for name_told, x, y, _ in told:
        of, _, label = name_told.partition("_")
        matrices = [about.at(name) for name, each in about.named.items() if each["symbol"]["text"] == of]
        rows = [each.value[each.rows.index(label)] for each in matrices if each.rows.count(label) == 1]
        rows = rows or [row for value in about.values.values() if len(value[0]) == 2 for row in value]
        pair = (_worth(x), _worth(y))
        near = any(all(abs(worth - z) <= slack for (worth, slack), z in zip(pair, row, strict=True)) for row in rows)
        assert near, f"{name_told} is not ({x}, {y})"
    ((a, slack_a), (b, slack_b)), *others = [(_worth(x), _worth(y)) for _, x, y, _ in told]
    for ((x, slack_x), (y, slack_y)), (*_, angle) in zip(others, told[1:], strict=True):
        turn = abs(mp.atan2(a * y - b * x, a * x + b * y)) * 180 / mp.pi
        lengths = mp.hypot(a, b), mp.hypot(x, y)
        slacks = zip((slack_a + slack_b, slack_x + slack_y), lengths, strict=True)
        slack = 60 * sum(each / length for each, length in slacks if length)
        assert not angle or abs(turn - number(angle)) < slack + mp.mpf("0.1"), f"the angle is {turn}"
    return True


def _moves(about: About, found: Found) -> bool:
    """Every row of the first matrix is told, where it is in it, and some of them where they are in the other."""
    before, after = about.called(found["before"]), about.called(found["after"])
    told: set[int] = set()
    for part in (found["moved"] + "; " + (found["kept"] or "")).strip("; ").split("; "):
        row, *pairs = re.match(rf"({PLACE})", part)[1], *re.findall(r"\(([^,]+), ([^)]+)\)", part)  # type: ignore[index]
        (i,) = before.places(row, -1, before.rows, len(before.value))[0]
        told.add(i)
        for of, pair in zip((before, after), pairs, strict=False):
            near = (abs(worth - x) <= slack for (worth, slack), x in zip(map(_worth, pair), of.value[i], strict=True))
            assert all(near), f"{row} is elsewhere in {of.name}"
    return told == set(range(len(before.value)))


def _rounded(about: About, found: Found) -> bool:
    wanted = tomllib.loads(about.data["scenario"]["file"])["given"]
    return all(wanted[name]["rounded"] for name in _names(about, found["names"])[0])


def _ends(about: About, found: Found) -> bool:
    """The interval of a figure: half a unit of its last decimal on either side."""
    figure = found["figure"].strip("$")
    half = mp.mpf("0.5") / 10 ** len(figure.partition(".")[2])
    low, high = (number(found[each]) for each in ("low", "high"))
    told = found["slack"] is None or same(number(found["slack"]), half)
    return told and same(low, number(figure) - half) and same(high, number(figure) + half)


def _rows_can_sum(about: About, found: Found) -> bool:
    """What the figures of each row add up to, and that rounding explains the rest."""
    total = number(found["total"])
    sums = {i: mp.fsum(row) for i, row in enumerate(about.value, 1)}
    off = {i: each for i, each in sums.items() if not same(each, total)}
    if "rows" not in found.re.groupindex:
        return not off
    told = {int(i): number(figure) for figure, i in re.findall(rf"({NUMBER}) in row (\d+)", found["rows"])}
    slack = number(found["slack"])
    return told.keys() == off.keys() and all(same(told[i], off[i]) and abs(off[i] - total) <= slack for i in off)


def _caption(about: About, found: Found) -> bool:
    of = _picture_of(about, found)
    return bool(found["negative"]) == any(x < 0 for x in of.entries)


MASKED = 100
"""What subtracts at least so much from a score hides it."""


def _hidden(of: About) -> bool:
    """Whether a mask hides some entry: it is very negative, or a weight of nothing that rests on such a number."""
    behind = [of.at(name) for name in {of.name} | _rests_on(of, of.name)]
    calls = [call for each in behind for call in re.findall(r"_mask\(([^)]*)\)", str(each.step.get("written")))]
    values = [re.search(r"value=(-?[\d^]+)", call) for call in calls]
    called = [value is None or work_out(value[1], {})[0][0] <= -MASKED for value in values]
    given = [is_given(each) and hides(each) and min(each.entries) <= -MASKED for each in behind]
    return any(called + given) and any(x <= -MASKED or abs(x) < mp.mpf(10) ** -30 for x in of.entries)


def _cells(about: About, found: Found) -> bool:
    of = _picture_of(about, found)
    return _caption(about, found) and bool(found["masked"]) == _hidden(of)


def _cells_of_weights(about: About, found: Found) -> bool:
    of = _picture_of(about, found)
    return sums_to_one(of) and bool(found["masked"]) == _hidden(of)


def _bars(about: About, found: Found) -> bool:
    """An even share is said of shares alone, none of them masked; guessing of those that share out no attention."""
    of = _picture_of(about, found)
    count = found["n"] or found["m"]
    shares = sums_to_one(of) and min(of.entries) >= 0 and of.size[1] > 1 and not _hidden(of)
    told = bool(count) == shares and (not count or int(count) == of.size[1])
    return _caption(about, found) and told and not (found["guess"] and is_attention(of))


def _told(made: str) -> dict[str, list[str]]:
    """What each name of a drawing is said to be made of, as they are written."""
    pairs = re.findall(r"(\S.*?) from ([^;]+?)(?:;|$)", made)
    return {name: re.split(r", (?![^(]*\))| and ", sources) for name, sources in pairs}


def _flow(about: About, found: Found) -> bool:
    told = _told(found["made"])
    made = {about.called(name).name: {about.called(each).name for each in each_of} for name, each_of in told.items()}
    drawn = set(made).union(*made.values())
    used = {use for name in drawn for use in _rests_on(about, name)}
    # What a formula holds under a name of its own, for its gradient: no other formula that is drawn speaks of it.
    inside = {name for name in made if name not in used and about.at(name).step["written"]}

    def nearest(name: str) -> set[str]:
        """What a step is made of, names that are not drawn replaced by what they are made of."""
        uses = about.at(name).step.get("uses", ())
        return {each for use in uses for each in ({use} if use in drawn else nearest(use))}

    def opened(names: set[str], of: str) -> set[str]:
        """The names, those inside the formula replaced by what they are made of."""
        return {
            each for name in names for each in (opened(made[name], of) if name in inside and name != of else {name})
        }

    edges = all(opened(sources, name) == nearest(name) for name, sources in made.items())
    return edges and _comes_back(about, found, told)


def _rests_on(about: About, name: str) -> set[str]:
    """All names behind one."""
    uses = set(about.at(name).step.get("uses", ()))
    return uses.union(*(_rests_on(about, use) for use in uses))


def _comes_back(about: About, found: Found, told: dict[str, list[str]]) -> bool:
    """Whether what comes back goes along edges that there are, and adds up to the gradient of each matrix.

    The gradient is found by its letter, ∂L/∂X or X̄, and its value and that of every part are worked out again.
    """
    reached: dict[str, list[str]] = {}
    for gradient, end, start in re.findall(r"(\S.*?) from (.+?) to (.+?)(?:; |$)", found["back"] or ""):
        assert start in told.get(end, ()), f"there is no edge from {start} to {end}"
        reached.setdefault(start, []).append(gradient)
    sums = dict(re.findall(r"What reaches (.+?) adds up to ([^.]+)\.", found["sums"] or ""))
    assert sums.keys() == {start for start, parts in reached.items() if len(parts) > 1}, "other sums are told"
    for start, parts in reached.items():
        all_of_it = sums.get(start, parts[0])
        assert re.search(rf"/∂{re.escape(start)}$", all_of_it) or "\u0304" in all_of_it, "it is another gradient"
        terms = [term for part in parts for term in part.split(" + ")]
        named = {
            term: [about.at(name).value for name, each in about.named.items() if each["symbol"]["text"] == term]
            for term in terms
        }  # two parts through one step are written alike
        assert all(named.values()), "a part is no gradient of the lesson"
        total = about.called(all_of_it).value
        for i, row in enumerate(total):
            for j, x in enumerate(row):
                summed = mp.fsum(mp.fsum(each[i][j] for each in named[term]) / len(named[term]) for term in terms)
                assert abs(summed - x) < mp.mpf(10) ** -30 * (1 + abs(x)), "the parts do not add up"
    return True


def _not_drawn(about: About, found: Found) -> bool:
    """How many names a drawing of the flow leaves out of those that the sentence beside it tells."""
    pictures = [block["says"] for _, block in about.blocks if block["block"] == "picture"]
    says = [each for each in pictures if each.startswith("The flow")]
    (made,) = [re.search(r"The flow of the data: (.*?)\.(?: |$)", each) for each in says]
    assert made, "nothing is drawn"
    drawn = {each for name, sources in _told(made[1]).items() for each in (name, *sources)}
    names = {about.called(each).name for each in drawn}
    to_losses = any("Gradients come back" in each for each in says)
    known = names.union(*(_rests_on(about, name) for name in names)) if to_losses else about.named
    return int(found["count"]) == len(known) - len(drawn)


# -- end ---------------------------------------------------------------------------------------------------------------


def _is_last(about: About, found: Found, of: About) -> None:
    """A prediction is made from the row that a sentence names: probabilities come from it, and from no other."""
    assert not found["row"] or int(found["row"]) == len(of.value), "it is not the last row"
    assert not found["who"] or found["who"] == of.rows[-1], "it is not the last row"
    ends = [about.at(name) for name, written in _written(about) if written.startswith("softmax(")]
    predicts = any(each.name != of.name and not is_attention(each) for each in ends)
    assert predicts or found[0].startswith("The query"), "nothing is predicted"


def _conclusion(about: About, found: Found) -> bool:
    """Whom the last row attends to, of which the page says why it matters."""
    of = _weights(about)[-1]
    row = of.value[-1]
    _is_last(about, found, of)
    heads = re.findall(
        rf"((?:[^()]|\([^\d$])*?) \(({NUMBER})( each, an exact tie)?\)(?: in head \d+)?(?:, | and (?:at|to) )?",
        found["said"],
    )
    matrices = _weights(about)[-len(heads) :]
    return (
        bool(heads)
        and all(
            each.is_list(top, largest(each.value[-1]), len(each.value) - 1)
            and each.is_figure(figure, max(each.value[-1]))
            and bool(tie) == (len(largest(each.value[-1])) > 1)
            for (top, figure, tie), each in zip(heads, matrices, strict=True)
        )
        and len(row) > 1
    )


def _agree(about: About, found: Found) -> bool:
    _is_last(about, found, _weights(about)[-1])
    figures = re.findall(NUMBER, found["figures"])
    matrices = _weights(about)[-len(figures) :]
    return int(found["heads"]) == len(figures) and all(
        each.is_list(found["top"], largest(each.value[-1]), len(each.value) - 1)
        and each.is_figure(figure, max(each.value[-1]))
        for figure, each in zip(figures, matrices, strict=True)
    )


def _next(about: About, found: Found) -> bool:
    ends = [about.at(name) for name, written in _written(about) if written.startswith(("softmax(", "proportions("))]
    of = [each for each in ends if candidates(each)][-1]
    row = of.value[-1]
    order = groups(row)
    assert not found["label"] or found["label"] == of.rows[-1], "it is another row"
    assert not found["row"] or int(found["row"]) == len(of.value), "it is another row"
    told = re.findall(rf"(?:^|, then )((?:[^()])*?) with ({NUMBER})( each \(an exact tie\))?", found["places"])
    return bool(told) and all(
        of.is_list(names, group) and of.is_figure(figure, row[group[0]]) and bool(tie) == (len(group) > 1)
        for (names, figure, tie), group in zip(told, order, strict=False)
    )


def _loss(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    if found["candidates"]:
        count = int(found["candidates"])
        scores = [about.at(each) for each in of.step["uses"]]
        assert "cross_entropy" in of.step["written"], "it is another loss"
        assert any(each.size[1] == count for each in scores), "there are other candidates"
        assert of.is_figure(found["guess"], mp.log(count)), "guessing costs something else"
    return of.is_figure(found["figure"], of.value[0][0]) and of.size == (1, 1)


def _introduced(about: About, found: Found) -> bool:
    """What letters are called and mean where they first appear: what the table at the end says of them, too."""
    told = re.findall(r"(\$[^$]+\$) \(([^:()]+?)(?:: ((?:[^()]|\([^()]*\))+?))?\)(?:, | and |$)", found["letters"])
    assert told, "no letters"
    for letters, name, meaning in told:
        sizes = ",".join(rf"${each.size[0]}\times {each.size[1]}$" for each in matrices(about, letters))
        cells = " | ".join((letters, name, sizes, meaning))
        assert legend(about, re.match("(?P<cells>.*)", cells)), f"{letters} is no {name}"  # type: ignore[arg-type]
    return True


def _figures(about: About, found: Found) -> bool:
    """Whether a page has intervals, and whether it goes on with printed figures, as its scenario wants."""
    wanted = tomllib.loads(about.data["scenario"]["file"])
    rounded = any(isinstance(each, dict) and each.get("rounded") for each in wanted["given"].values())
    by_hand = wanted.get("figures", {}).get("carry") == "rounded"
    return bool(found["intervals"] or found["ends"]) == rounded and bool(found["by_hand"]) == by_hand


def _names(about: About, text: str) -> tuple[list[str], int]:
    more = re.search(r" and (\d+) more", text)
    return [about.called(each).name for each in re.findall(r"\$[^$]+\$", text)], int(more[1]) if more else 0


def _by_hand_all(about: About, found: Found) -> bool:
    names, more = _names(about, found["names"])
    plain = [step for step in about.data["steps"] if "decimals" in step["values"]]
    wrong = {step["name"]: other_figures(about.at(step["name"])) for step in plain}
    counted = [name for name, places in wrong.items() if places]
    assert set(names) <= set(counted), f"they are {counted}"
    assert len(names) + more == len(counted), f"they are {counted}"
    i, j = (int(found["row"]) - 1, int(found["column"]) - 1) if found["row"] else (0, 0)
    first = about.called(found["first"] or found["only"])
    worked, proved = (found[each].strip("$") for each in ("worked", "proved"))
    assert int(found["total"]) == sum(map(len, wrong.values())), "another number of figures"
    return wrong[first.name].get((i, j)) == worked and first.printed[i][j] == proved


def _sums_all(about: About, found: Found) -> bool:
    names, _ = _names(about, found["names"])
    of = about.called(found["first"] or found["only"])
    row = of.printed[int(found["row"] or 1) - 1]
    total = mp.fsum(map(number, row))
    exact = all(sums_to_one(about.at(name)) and all(any(row) for row in about.at(name).value) for name in names)
    return exact and same(total, number(found["total"])) and not same(total, mp.mpf(1))


def _masked_all(about: About, found: Found) -> bool:
    names, _ = _names(about, found["names"])
    small = [x for name in names for x in about.at(name).entries if 0 < x < mp.mpf(10) ** -6]
    masks = [
        x for name in names for row in _mask(about.at(about.at(name).step["uses"][0])) for x in row if mp.isfinite(x)
    ]
    return bool(small) and all(about.is_figure(found["weight"], x) for x in small[:1]) and min(masks) < -LARGE


MIXES = r"(?P<mixes>, (?:and the values are mixed accordingly|by which rows are then mixed))?"
HEADS = r"(?:, in (?P<heads>\d+) heads at once)?"
LAST = r"(?:The prediction is made from the last row, (?:that of “(?P<who>[^”]*)”(?: in place \d+)?|number (?P<row>\d+)), which|The query)"
COUNT = r"(?P<count>\d+|One)"
TOP = rf"(?P<symbol>{SYMBOL})"

OF_PAGES = (
    Kind("opening", r"We follow (?P<count>\d+) words? through the computation\.", _follows),
    Kind("opening", rf"Every word asks \(its query\), can be found \(its key\) and has something to hand over \(its value\); comparing questions with keys shares out the attention{HEADS}{MIXES}\.", _compares),
    Kind("opening", rf"Every row is compared with every row, and the comparison shares out the attention{MIXES}\.", _compares),
    Kind("opening", r"The computation gives probabilities for (?P<count>\d+) candidates?(?P<loss>, and one number that says how wrong they are)?\.", _candidates),
    Kind("opening", r"Each row first learns which word it is and where it stands\.", _places),
    Kind("opening", r"A small network (?:then )?works on every row by itself\.", _network),
    Kind("tokens_in_line", rf"The sequence has {SYMBOL} = (?P<count>\d+) tokens?:(?P<listed>(?: {QUOTED},?)+)?(?:\.|$)", _tokens),
    Kind("labels_in_line", rf"The labels of the axis {SYMBOL} are (?P<listed>(?:{QUOTED}(?:, )?)+)\.", _labels),
    Kind("candidates_in_line", rf"The candidates are (?P<listed>(?:{QUOTED}(?:, )?)+)\.", _candidate_labels),
    Kind("sizes_are", r"Sizes?: .*\.", _sizes),
    Kind("legend", r"legend: (?P<cells>.*)", legend),
    Kind("letters_left", rf"{COUNT} more symbols? appears? below, (?:each )?with its formula or its numbers\.", _left),
    Kind("shapes", r"shapes: (?P<line>.*)", _shapes),
    Kind("says_heatmap", rf"Heat map of {TOP}, (?P<n>\d+) rows? and (?P<m>\d+) columns?\.(?: The largest figure of each row: (?P<listed>.*)\.)?", _heatmap),
    Kind("caption_heatmap", rf"{TOP} as a heat map: the stronger the colour, the (?:(?P<negative>farther the figure is from 0; blue is positive, orange negative)|larger the figure)\.(?P<masked> Hatched cells are masked\.)?", _cells),
    Kind("caption_heatmap", rf"{TOP} as a heat map\. Read along a row: who asks stands at its left, and the strongest colour is where it looks most\.(?P<masked> Hatched cells are masked\.)?", _cells_of_weights),
    Kind("says_bars", r"Bars of (?P<symbol>[^\s.]+)\. (?P<listed>.*)\.", _every_figure),
    Kind("caption_bars", rf"{TOP} as bars: the longer a bar, the (?:(?P<negative>farther its figure is from 0; what is negative goes to the left)|larger its figure)\.(?: The dashed line is (?:(?P<guess>guessing: 1/(?P<n>\d+) each)|an even share, 1/(?P<m>\d+))\.)?", _bars),
    Kind("says_arcs", r"Arcs for the weights (?P<symbol>[^\s.]+)\. (?P<listed>.*)\.", _every_figure),
    Kind("caption_arcs", rf"Who looks at whom by {TOP}: the framed token looks, and the thicker an arc, the larger the weight\.", _always),
    Kind("says_waves", r"Waves of (?P<symbol>\S+): (?P<m>\d+) columns? over (?P<n>\d+) positions?, a dot at each\.", _wave),
    Kind("caption_waves", rf"The columns of {TOP} over the positions: each column is a wave of its own\.", _always),
    Kind("says_vectors", r"Arrows from the origin: (?P<listed>.*)\.", _arrows),
    Kind("caption_vectors", r"Rows as arrows in the plane, each with its angle from .*?: the smaller the angle, the more alike the directions\.", _always),
    Kind("says_move", r"From (?P<before>\S+) to (?P<after>\S+): (?P<moved>.*? moves from .*?\))\.(?: Beside it in \S+: (?P<kept>.*)\.)?", _moves),
    Kind("caption_move", rf"{PLACE} moves along the dashed arrow: the thin grey arrow is its row of {SYMBOL}, the thick one its row of {SYMBOL}\. The others are rows of {SYMBOL}\.", _always),
    Kind("caption_move", rf"Rows as arrows from the origin: thin and grey in {SYMBOL}, thick in {SYMBOL}\. The dashed arrows show how they move\.", _always),
    Kind("intervals_shown", r"(?P<names>.*?) holds? rounded figures, and each of them stands for every number that rounds to it\. Results that depend on them are therefore intervals, with both ends proved and rounded outwards\.", _rounded),
    Kind("rounded_figures", rf"Each printed figure stands for every number that rounds to it \((?:±(?P<slack>{NUMBER})|half a unit of its last decimal on either side)\): (?P<figure>{NUMBER}) is any number in \$\\lbrack (?P<low>\S+), (?P<high>\S+)\\rbrack\$\.", _ends),
    Kind("rows_can_sum", r"The printed figures of every row add up to exactly (?P<total>\S+)\.", _rows_can_sum),
    Kind("rows_can_sum", rf"Each row can sum to (?P<total>{NUMBER}): the printed figures add up to (?P<rows>.*?), and rounding explains up to ±(?P<slack>{NUMBER})\.", _rows_can_sum),
    Kind("says_flow", r"The flow of the data: (?P<made>[^.]*)\.(?: Gradients come back against the arrows: (?P<back>[^.]*)\.)?(?P<sums>(?: What reaches [^.]+ adds up to [^.]+\.)*)", _flow),
    Kind("caption_flow", r"From what is given \(square corners\) to (?:the result\. An arrow means “is used to compute”|what the gradients are taken of\. An arrow means “is used to compute”; a dashed arrow brings a gradient back, which has the shape of the matrix it reaches)\.", _always),
    Kind("caption_flow", r"Where several come back to one matrix \(Σ\), they are added up\.", _always),
    Kind("picture_part", r"Shown (?:is|are) (?:\d+ of \d+ rows)?(?: and )?(?:\d+ of \d+ columns)?\.", _always),
    Kind("flow_part", r"(?P<count>\d+) other (?:matrix is|matrices are) not shown\.", _not_drawn),
    Kind("conclusion_attends", rf"{LAST} attends most to (?P<top>[^()]+?) in each of the (?P<heads>\d+) heads \((?P<figures>[^)]*)\)\.", _agree),
    Kind("conclusion_attends", rf"{LAST} attends most to (?P<said>.*?\)(?: in head \d+)?)\.", _conclusion),
    Kind("conclusion_next", r"(?:The most probable|After “(?P<label>[^”]*)” the most probable|In the last row, number (?P<row>\d+), the most probable) candidates? (?:is|are) (?P<places>.*?)\.(?!\d)", _next),
    Kind("conclusion_loss", rf"The loss {TOP} is (?P<figure>{NUMBER}); (?:guessing blindly among (?P<candidates>\d+) would cost (?P<guess>{NUMBER}), and )?smaller is better\.", _loss),
    Kind("letters_new", r"New here: (?P<letters>.*?\))\.(?= |$)", _introduced),
    Kind("figures_intro", r"(?:The page works with exact values(?P<intervals> and intervals,)?|(?P<by_hand>Each step works exactly with the printed figures of the step before)(?P<ends>, or with its intervals,)?) and rounds only what it prints\.", _figures),
    Kind("by_hand_all", rf"If one goes on with printed figures instead, (?P<total>\d+) figures? in (?P<names>.*?) comes? out differently\. (?:In row (?P<row>\d+), column (?P<column>\d+) of (?P<first>{SYMBOL})|For (?P<only>{SYMBOL})), for example, one gets (?P<worked>{NUMBER}) and not (?P<proved>{NUMBER})\.", _by_hand_all),
    Kind("printed_sums_all", rf"The (?:rows|entries) of (?P<names>.*?) sum to exactly 1; added up as they are printed, (?:some do not, such as row (?P<row>\d+) of (?P<first>{SYMBOL}) with|those of (?P<only>{SYMBOL}) give) (?P<total>{NUMBER})\.", _sums_all),
    Kind("masked_away_all", rf"In (?P<names>.*?) a masked weight prints as (?P<weight>{NUMBER}) but is not exactly 0, because the mask is a large number and not infinity\.", _masked_all),
)  # fmt: skip
"""A kind may have several forms; the first that a sentence has decides."""
