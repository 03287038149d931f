"""What a page asks and answers, and what it says of a change in one step: a form and a second road for each kind."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from tests.sentences.of_steps import LARGE, Found
from tests.sentences.page import NUMBER, SYMBOL, About, Kind, flat, largest, line
from tests.sentences.slips import SLIPS, results
from tests.sentences.values import Rows, length, mp, number, parsed, rounded, same, work_out

OF = rf"(?P<symbol>{SYMBOL})"
SIMPLE = re.compile(r"\$\w\$")
WORDS = Path(__file__).resolve().parents[2] / "templates" / "language" / "en" / "mistakes.toml"
MISTAKES = tomllib.loads(WORDS.read_text(encoding="utf-8"))
ROW_OF = r"row (?P<row>\d+)(?: \(“(?P<label>[^”]*)”\))?"


def _followed_by(of: About, function: str) -> bool:
    """Whether a step applies a function to a matrix."""
    return any(re.fullmatch(rf"{function}\({of.name}\)", each["written"].replace(" ", "")) for each in of.data["steps"])


def _ask_largest(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    row = of.value[int(found["row"] or 1) - 1]
    assert not found["label"] or of.rows[int(found["row"]) - 1] == found["label"], "the row has another label"
    top = largest(row)
    return (
        _followed_by(of, "softmax")
        and len(top) == 1
        and of.is_list(found["top"], top)
        and of.is_figure(found["score"], row[top[0]])
    )


def _ask_mask(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    row = of.value[int(found["row"]) - 1]
    assert not found["label"] or of.rows[int(found["row"]) - 1] == found["label"], "the row has another label"
    left = sum(mp.isfinite(x) and x > -LARGE for x in row)
    assert _followed_by(of, "softmax")
    return int(found["left"]) == left < len(row) == int(found["width"]) and int(found["hidden"] or 1) == len(row) - left


def _again(about: About, **changed: Rows) -> dict[str, Rows]:
    """All values of the lesson, with some changed and every later step worked out again."""
    known = {**about.values, **changed}
    for each in about.data["steps"]:
        if each["name"] not in changed:
            known[each["name"]] = work_out(each["written"], known)
    return known


def _plus(rows: Rows, number_: float, where: tuple[int, int] | None = None) -> Rows:
    return [[x + number_ if where in (None, (i, j)) else x for j, x in enumerate(row)] for i, row in enumerate(rows)]


def _same(one: Rows, other: Rows, within: float = 1e-30) -> bool:
    pairs = [(x, y) for r, s in zip(one, other, strict=True) for x, y in zip(r, s, strict=True)]
    return all(x == y or abs(x - y) <= within for x, y in pairs)


def _inside(about: About) -> str:
    """What the function of a step is applied to, as it is written."""
    call = parsed(about.step["written"])
    assert isinstance(call, ast.Call), "no function"
    return ast.unparse(call.args[0])


def _ask_relu(about: About, found: Found) -> bool:
    steps = [about.at(each["name"]) for each in about.data["steps"] if each["written"].startswith("relu(")]
    counts = [(len(step.entries), sum(x < 0 for row in step.inner for x in row)) for step in steps]
    return (int(found["total"]), int(found["cut"])) in counts and int(found["cut"]) > 0


def _ask_hidden(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    i, j = int(found["row"]) - 1, int(found["column"]) - 1
    return of.step["written"].startswith("softmax(") and of.inner[i][j] == -mp.inf and of.value[i][j] == 0


def _ask_shift(about: About, found: Found) -> bool:
    of, scores = about.called(found["symbol"]), about.called(found["scores"])
    assert _inside(of) == scores.name, "the softmax is of something else"
    moved = work_out(of.step["written"], {**about.values, scores.name: _plus(scores.value, int(found["shift"]))})
    return _same(of.value, moved) and re.sub(r"[${}]", "", found["factor"]) == f"e^{found['shift']}"


def _ask_scale(about: About, found: Found) -> bool:
    """That some step divides by more than 1 on the way to a softmax, and that no row gets another largest entry."""
    for each in about.data["steps"]:
        for part in ast.walk(parsed(each["written"])):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
                above, below = (work_out(ast.unparse(side), about.values) for side in (part.left, part.right))
                made = work_out(ast.unparse(part), about.values)
                if below[0][0] > 1 and [largest(row) for row in above] == [largest(row) for row in made]:
                    return True
    return False


def _ask_mixture(about: About, found: Found) -> bool:
    of, values = about.called(found["symbol"]), found["values"]
    whole = parsed(of.step["written"])
    assert isinstance(whole, ast.BinOp), "no product"
    while isinstance(whole.left, ast.BinOp):
        whole = whole.left
    assert isinstance(whole.left, ast.Name), "the weights have no name"
    weights, row = about.at(whole.left.id), int(found["row"] or 1) - 1
    assert not found["label"] or weights.rows[row] == found["label"], "the row has another label"
    assert not found["token"] or weights.columns[int(found["best"]) - 1] == found["token"], "another label"
    assert about.called(values).name == ast.unparse(whole.right) if SIMPLE.fullmatch(values) else True
    best = largest(weights.value[row])
    shares = [mp.fsum(each) for each in weights.value]
    assert all(abs(each - 1) < mp.mpf(10) ** -30 for each in shares), "no weights"
    return best == [int(found["best"]) - 1] and about.is_figure(found["weight"], weights.value[row][best[0]])


def _ask_turned(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    before, after = (length(rows[0]) for rows in (of.inner, of.value))
    told = [number(found[each]) for each in ("before", "after")]
    return all(abs(x - y) <= y * mp.mpf("0.0006") for x, y in zip(told, (before, after), strict=True))


def _ask_norm(about: About, found: Found) -> bool:
    """That a norm gives the same for rows that are larger by a number, or nearly the same for entries twice as large."""
    of = about.called(found["symbol"])
    call = parsed(of.step["written"])
    assert isinstance(call, ast.Call), "no norm"
    changed = f"+ {found['more']}" if found["more"] else "* 2"
    call.args[0] = parsed(f"({_inside(of)}) {changed}")
    moved = work_out(ast.unparse(call), about.values)
    return _same(of.value, moved, 1e-2 if "Almost" in found[0] else 1e-30)


def _ask_bias(about: About, found: Found) -> bool:
    of, bias = about.called(found["symbol"]), about.called(found["bias"])
    moved = _again(about, **{bias.name: _plus(bias.value, 1, (0, 0))})[of.name]
    rows = len(of.value)
    expected = [[x + (j == 0) for j, x in enumerate(row)] for row in of.value]
    return _same(moved, expected) and int(found["rows"] or 1) == rows


def _ask_angle(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    x = of.value[0][0]
    said = "smaller" if x > 0 else "larger" if x < 0 else "a right angle"
    return of.size == (1, 1) and about.is_figure(found["value"], x) and found["side"].startswith(said)


def _ask_product(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    whole = parsed(of.step["written"])
    assert isinstance(whole, ast.BinOp), "no product"
    assert isinstance(whole.op, ast.MatMult), "no product"
    inner = len(work_out(ast.unparse(whole.right), about.values))
    return (int(found["row"]), int(found["column"])) == of.size and int(found["count"]) == inner


def _ask_inner_size(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    products = [
        part
        for part in ast.walk(parsed(of.step["written"]))
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult)
    ]
    sizes = {len(work_out(ast.unparse(part.right), about.values)) for part in products}
    return int(found["size"]) in sizes


def _ask_zero_rows(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    return "∂" in of.step["symbol"]["text"] and all(abs(mp.fsum(row)) < mp.mpf(10) ** -30 for row in of.value)


def _ask_gate(about: About, found: Found) -> bool:
    of, before = about.called(found["symbol"]), about.called(found["of"] or found["none"])
    closed = [y for r, s in zip(before.value, of.value, strict=True) for x, y in zip(r, s, strict=True) if x < 0]
    return not any(closed) and len(closed) == int(found["count"] or 0)


def _ask_moved(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    i, j = int(found["row"]) - 1, int(found["column"]) - 1
    before = of.value[i][j]
    after = [
        about.values[each["name"]][i][j]
        for each in about.data["steps"]
        if of.name in each["uses"] and about.at(each["name"]).size == of.size
    ]
    is_up = found["way"] == "grows"
    return about.is_figure(found["before"], before) and any(
        about.is_figure(found["after"], x) and (x > before) == is_up for x in after
    )


def _ask_summed(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    sums = [[mp.fsum(column) for column in zip(*about.values[name], strict=True)] for name in of.step["uses"]]
    return any(_same([each], of.value) for each in sums) and len(about.values[of.step["uses"][0]]) == int(found["rows"])


def _ask_slip(about: About, found: Found) -> bool:
    """That the page prints the right figure in that place of some step, and that the slip gives the wrong one there."""
    text = found["places"] or ""
    places = {tuple(int(each) - 1 for each in (text.split(",") if "," in text else text))}
    places |= {(int(text) - 1, 0), (0, int(text) - 1)} if text.isdecimal() else set()
    right, wrong = found["right"].strip("$"), found["wrong"].strip("$")
    there = [
        (each.name, i, j)
        for each in (about.at(each["name"]) for each in about.data["steps"] if "decimals" in each["values"])
        # The letter of a single number may end in a number.
        for i, j in ({(0, 0)} if each.size == (1, 1) else {place for place in places if len(place) == 2})
        if i < each.size[0] and j < each.size[1] and each.printed[i][j] == right
    ]
    if not there or same(number(right), number(wrong)):
        return False
    (title,) = (each["title"] for each in MISTAKES.values() if each["feedback"] == found["feedback"])
    assert title in SLIPS, "this slip needs a second road"
    written = {each["name"]: each["written"] for each in about.data["steps"]}
    return any(
        i < len(made) and j < len(made[0]) and mp.isfinite(made[i][j]) and about.is_figure(wrong, made[i][j])
        for name, i, j in there
        for made in results(title, name, written, about.values)
    )


FORMS = {"softmaxS": "softmax(S)", "XX^T": "X @ X.T", "XX^T/2": "X @ X.T / 2"}
"""The formulas of changes in random lessons, as pages write them."""
WHAT_IF = r"What if \$(?P<name>\w+) = (?P<made>[^$]+)\$ instead of \$(?P<kept>[^$]+)\$\?"


def _results(about: About) -> tuple[Rows, Rows, About]:
    """Both results of the change that a page asks about, and the step of which they are."""
    told = [line(block["runs"]) for _, block in about.blocks if block["block"] == "paragraph"]
    (found,) = filter(None, (re.fullmatch(WHAT_IF, each) for each in told))
    tables = [block for _, block in about.blocks if block["block"] == "table"]
    (head,) = (line(each["header"][0]) for each in tables if each["header"][0][0].get("text") != "Letter")
    of = about.called(head)
    made = work_out(FORMS[flat(found["made"])], about.values)
    return of.value, _again(about, **{found["name"]: made})[of.name], of


def _what_if(about: About, found: Found) -> bool:
    return found["kept"].startswith(f"{found['name']} = ") and found["kept"] != f"{found['name']} = {found['made']}"


def _what_if_row(about: About, found: Found) -> bool:
    before, after, of = _results(about)
    label, *figures = found["row"].split(" | ")
    place = re.search(r"(?:, row (\d+)|, “([^”]*)”(?: in place (\d+))?)$", label)
    rows = (
        [0]
        if place is None
        else [int(place[1] or place[3]) - 1]
        if place[1] or place[3]
        else [i for i, each in enumerate(of.rows) if each == place[2]]
    )
    shown = [j for j, each in enumerate(figures) if each != r"$\cdots$"]
    width = len(before[0])
    columns = {
        j: j if j < shown[-1] - len(figures) + width and r"$\cdots$" not in figures[:j] else j - len(figures) + width
        for j in shown
    }
    return label == "⋯" or any(
        all(about.is_figure(figures[j], rows_[i][columns[j]]) for j in shown) for rows_ in (before, after) for i in rows
    )


def _tops(rows: Rows) -> list[list[int]]:
    return [largest(row) for row in rows]


def _what_if_rows(about: About, found: Found) -> bool:
    before, after, _ = _results(about)
    kept = sum(one == other for one, other in zip(_tops(before), _tops(after), strict=True))
    if found["kept"]:
        return 0 < kept == int(found["kept"]) < len(before) == int(found["count"])
    return kept == (len(before) if "stays" in found[0] else 0)


def _what_if_top(about: About, found: Found) -> bool:
    (before,), (after,), of = _results(about)
    (i,), (j,) = largest(before), largest(after)
    if found["still"]:
        return i == j and of.is_list(found["still"], [i]) and _figures(of, found, before[i], after[i])
    named = of.is_list(found["now_of"], [j]) and of.is_list(found["was_of"], [i])
    return i != j and named and _figures(of, found, before[i], after[j])


def _figures(of: About, found: Found, before: object, after: object) -> bool:
    was, now = (found["was"], found["becomes"]) if found["still"] else (found["was_then"], found["now"])
    return of.is_figure(was, before) and of.is_figure(now, after)


def _what_if_apart(about: About, found: Found) -> bool:
    before, after, of = _results(about)
    most = max(abs(x - y) for r, s in zip(before, after, strict=True) for x, y in zip(r, s, strict=True))
    if found["most"]:
        return of.is_figure(found["most"], most) and most > 0
    if "exactly" in found[0]:
        return bool(most < mp.mpf(10) ** -60)
    decimals = max(len(text.partition(".")[2]) for row in of.printed for text in row)
    shown = [[[rounded(x, decimals) for x in row] for row in rows] for rows in (before, after)]
    return most < mp.mpf("0.51") / 10**decimals and (shown[0] == shown[1]) == ("None" in found[0])


OF_QUESTIONS = (
    Kind("ask_largest", rf"Which entry of (?:{ROW_OF} of )?{OF} will get the largest weight from softmax\? That of (?P<top>.+?): (?P<score>{NUMBER}) is the largest score of the row, and softmax keeps the order\.", _ask_largest),
    Kind("ask_mask", rf"After the mask, how many entries of {ROW_OF} of {OF} can still get weight\? (?P<left>\d+) of (?P<width>\d+): the mask hides the other(?: (?P<hidden>\d+))?\.", _ask_mask),
    Kind("ask_relu", r"How many of the (?P<total>\d+) entries of .+? does ReLU set to 0\? (?P<cut>\d+): as many of them are negative\.", _ask_relu),
    Kind("ask_hidden", rf"Why do the masked entries of {OF} get a weight of exactly zero, and not only a small one\? Their score is \$-\\infty\$, as in row (?P<row>\d+), column (?P<column>\d+), and its exponential is exactly \$0\$, whatever the sum is\. Any finite score would leave a positive weight\.", _ask_hidden),
    Kind("ask_shift", rf"What would {OF} be if every entry of (?P<scores>{SYMBOL}) were larger by (?P<shift>\d+)\? Why\? The same\. Every exponential would be (?P<factor>\$[^$]+\$) times as large, and so would the sum of each row: the factor cancels\.", _ask_shift),
    Kind("ask_scale", r"Does the division change which entry in a row of .+? is the largest\? What is it good for\? No: all entries are divided by the same positive number, so their order stays the same\. They move closer together, so that softmax does not give nearly all weight to one of them\.", _ask_scale),
    Kind("ask_mixture", rf"Which row of (?P<values>\$[^$]+\$) counts most in (?:{ROW_OF} of )?{OF}\? Where can you see it\? Row (?P<best>\d+)(?: \(“(?P<token>[^”]*)”\))?: its weight, (?P<weight>{NUMBER}), is the largest\.", _ask_mixture),
    Kind("ask_turned", rf"How long is the first row of .+?, and how long is it in {OF}, after the turn\? Why\? (?P<before>{NUMBER}) before and (?P<after>{NUMBER}) after: a turn changes the direction of a pair, not its length\.", _ask_turned),
    Kind("ask_layer_norm", rf"What would {OF} be if every entry in a row of .+? were larger by (?P<more>\d+)\? Why\? The same\. The mean of the row would grow by \d+ too, and only the differences from it are used\.", _ask_norm),
    Kind("ask_rms_norm", rf"What would {OF} be if every entry of .+? were twice as large\? Why\? (?P<more>)(?:The same: the root mean square would be twice as large too\.|Almost the same: the root mean square would be twice as large too, and only ε would not grow with it\.)", _ask_norm),
    Kind("ask_bias", rf"If only the first entry of (?P<bias>{SYMBOL}) grew by one, which entries of {OF} would change, and by how much\? (?:The first one in each of the (?P<rows>\d+) rows|Only the first one), by one: the bias is added to every row as it is\.", _ask_bias),
    Kind("ask_angle", rf"What does the sign of {OF} say about the directions of the two vectors\? It is (?P<value>{NUMBER}), so the angle between them is (?P<side>smaller than a right angle: they point in similar directions|larger than a right angle: they point in rather opposite directions|a right angle)\.", _ask_angle),
    Kind("ask_product", rf"Which row and which column do you need for the entry in row (?P<row>\d+), column (?P<column>\d+) of {OF}\? Row (?P=row) of .+? and column (?P=column) of .+?: the products of their (?P<count>\d+) pairs? are added up\.", _ask_product),
    Kind("ask_inner_size", rf"In the last product of {OF} two sizes must agree and then disappear\. Which are they, and why must they agree\? The columns of .+? and the rows of .+?, (?P<size>\d+) each: every entry multiplies them in pairs\.", _ask_inner_size),
    Kind("ask_zero_rows", rf"What does each row of {OF} add up to\? Why\? To zero\. If all scores grew by the same amount, no weight would change, so their effects cancel\.", _ask_zero_rows),
    Kind("ask_gate", rf"Which entries of {OF} are zero whatever gradient arrives\? Why\? (?:Where (?P<of>{SYMBOL}) is negative, in (?P<count>\d+) places?: the ReLU gives zero there, and a small change of its input changes nothing\.|None here: they would be those where (?P<none>{SYMBOL}) is negative\.)", _ask_gate),
    Kind("ask_moved", rf"Does the entry in row (?P<row>\d+), column (?P<column>\d+) of {OF} grow or shrink in this step\? Why\? It (?P<way>grows|shrinks) from (?P<before>{NUMBER}) to (?P<after>{NUMBER}): the step is subtracted, and there it is (?:negative|positive)\.", _ask_moved),
    Kind("ask_summed", rf"Why are rows added up to get {OF}\? The same parameters are used in each of the (?P<rows>\d+) rows, so they act on the loss in \d+ ways, and the effects add up\.", _ask_summed),
    Kind("what_if", WHAT_IF, _what_if),
    Kind("row_with", r"what if: \S+ \| (?P<row>.*)", _what_if_row),
    Kind("what_if_rows", r"In (?:every row the largest entry stays in its place|every row another entry is now the largest|(?P<kept>\d+) of the (?P<count>\d+) rows the largest entry stays in its place)\.", _what_if_rows),
    Kind("what_if_top", rf"The largest entry is (?:still that of (?P<still>[^:]+): (?P<was>{NUMBER}) becomes (?P<becomes>{NUMBER})|now that of (?P<now_of>.+?) \((?P<now>{NUMBER})\), before it was that of (?P<was_of>.+?) \((?P<was_then>{NUMBER})\))\.", _what_if_top),
    Kind("what_if_same", r"Nothing changes: the two results are exactly equal\.(?P<most>)", _what_if_apart),
    Kind("what_if_apart", rf"(?:The largest change is (?P<most>{NUMBER})|Only last digits change|None of these figures changes)\.", _what_if_apart),
    Kind("ask_slip", rf"Somebody got (?P<wrong>{NUMBER}) for \$[^$]*?(?:_\{{?(?P<places>[\d,]+)\}}?(?:[^$_]|_[A-Za-z])*)?\$ instead of (?P<right>{NUMBER})\. What went wrong\? (?P<feedback>.*)", _ask_slip),
)  # fmt: skip
"""A question comes with its answer."""
