"""What readings say of the numbers of a step: a form and a second road for each kind."""

from __future__ import annotations

import ast
import re

from tests.sentences.page import NUMBER, ROW, SYMBOL, About, Kind, largest
from tests.sentences.values import (
    INFINITE,
    Rows,
    first_largest,
    groups,
    length,
    mean,
    mp,
    number,
    rounded,
    same,
    variance,
    work_out,
)

Found = re.Match[str]
LARGE = 20
"""A mask that is larger than this leaves nothing of a weight that the page could print."""
ONE, HALF, NEARLY = mp.mpf(1), mp.mpf("0.5"), mp.mpf("0.95")
PART = r"(?P<part>, all|, nearly all|, more than half)?"


def _part_is(found: Found, row: list[object], top: int) -> bool:
    match found["part"]:
        case ", all":
            return all(x == 0 for j, x in enumerate(row) if j != top)
        case ", nearly all":
            return bool(row[top] > NEARLY)
        case ", more than half":
            return bool(row[top] > HALF)
    return True


def _own(about: About, found: Found) -> int:
    """The column of a row's own token, where rows and columns are the same tokens."""
    source = about.source
    alike = source.step["rows"]["name"] and source.step["rows"]["name"] == source.step["columns"]["name"]
    assert alike or "itself" not in found[0], "rows and columns are not the same tokens"
    return int(found["row"] or 1) - 1


def is_attention(about: About) -> bool:
    """Whether a matrix shares out attention: over its own rows, or to mix other rows with it."""
    rows, columns = about.step["rows"]["name"], about.step["columns"]["name"]
    if rows and rows == columns:
        return True
    written = [step["written"].replace(" ", "") for step in about.data["steps"]]
    return any(re.search(rf"(?<!\w){about.name}@", each) for each in written)


def _largest(about: About, found: Found) -> bool:
    row, own = about.row(found), _own(about, found)
    top = largest(row)
    tied = "tie" in found[0]
    return (
        about.is_list(found["top"], top, own)
        and tied == (len(top) > 1)
        and about.is_figure(found["weight"], row[top[0]])
        and ("part" not in found.re.groupindex or _part_is(found, row, top[0]))
    )


def _seen(about: About, found: Found) -> list[int]:
    """The columns that a row of shares can give weight to: those that no mask has pushed far down."""
    row = about.row(found)
    if about.is_row or not about.step["written"].startswith("softmax("):
        return list(range(len(row)))
    scores = about.inner[int(found["row"] or 1) - 1]
    return [j for j, x in enumerate(scores) if mp.isfinite(x) and x + 40 > max(scores)]


def _is_even(row: list[object], seen: list[int]) -> bool:
    shares = [row[j] for j in seen]
    return len(seen) > 1 and bool(max(shares) < min(shares) * mp.mpf("1.2"))  # type: ignore[type-var,operator]


def _gap(row: list[object], seen: list[int]) -> tuple[list[int], list[int], bool]:
    """The columns of the largest and of the second largest weight, and whether the first leaves the second behind."""
    order = [group for group in groups(row) if {*group} & {*seen}]
    if len(order) < 2:
        return order[0], [], True
    first, second = (row[group[0]] for group in order[:2])
    return order[0], order[1], bool(first >= second * mp.mpf("1.2"))  # type: ignore[operator]


def _attends(about: About, found: Found) -> bool:
    row, seen = about.row(found), _seen(about, found)
    if "attends most" in found[0]:
        assert not _is_even(row, seen), "the weights are nearly even"
        assert _gap(row, seen)[2], "the second is just behind"
    return _largest(about, found) and is_attention(about.source)


def _forced(about: About, found: Found) -> bool:
    row = about.row(found)
    (only,) = _seen(about, found)
    return (
        len(row) > 1
        and about.is_list(found["top"], [only], _own(about, found))
        and about.is_figure(found["weight"], row[only])
    )


def _even(about: About, found: Found) -> bool:
    row, seen = about.row(found), _seen(about, found)
    shares = [row[j] for j in seen]
    assert found["count"] == ("one half" if len(seen) == 2 else f"1/{len(seen)}"), "another share"
    assert about.is_figure(found["least"], min(shares)), "another least weight"
    assert about.is_figure(found["weight"], max(shares)), "another largest weight"
    return _is_even(row, seen) and not same(min(shares), max(shares))


def _just_ahead(about: About, found: Found) -> bool:
    row = about.row(found)
    first, second, is_ahead = _gap(row, _seen(about, found))
    return (
        not is_ahead
        and len(first) == 1
        and about.is_list(found["top"], first, _own(about, found))
        and about.is_list(found["second"], second, _own(about, found))
        and about.is_figure(found["weight"], row[first[0]])
        and about.is_figure(found["next"], row[second[0]])
    )


def _places_of_rows(about: About, text: str) -> list[int]:
    parts = re.finditer(r"“([^”]*)”(?: in place (\d+))?|(?<!“)\b(\d+)", text)
    return [
        int(place or plain) - 1 if place or plain else about.rows.index(label)
        for label, place, plain in (p.groups() for p in parts)
    ]


def _factors_of_scores(about: About) -> tuple[About, About]:
    """Q and K, if the step is the softmax of their product: names on the way are opened."""
    (left, right), *_ = (
        about.evidence.pairs(ast.Name(about.step["uses"][0]))
        if re.fullmatch(r"softmax\(\w+\)", about.step["written"])
        else about.evidence.compared
    )
    return about.at(ast.unparse(left)), about.at(ast.unparse(right))


def _equal_rows(about: About, found: Found) -> bool:
    rows = _places_of_rows(about, found["rows"])
    first = about.value[rows[0]]
    assert len(rows) > 1, "it is one row"
    assert all(all(map(same, first, about.value[i])) for i in rows), "the rows differ"
    # Figures that a large mask makes tiny differ too, however little.
    others = [
        i
        for i, row in enumerate(about.value)
        if i not in rows and all(abs(x - y) <= mp.mpf(10) ** -40 * abs(x) for x, y in zip(first, row, strict=True))
    ]
    assert not others, "another row is equal too"
    if found["queries"]:
        asked = about.called(found["queries"]).value
        return all(all(map(same, asked[rows[0]], asked[i])) for i in rows)
    if found["keys"]:
        one, other = int(found["one"]) - 1, int(found["other"]) - 1
        return all(same(row[one], row[other]) for row in about.called(found["keys"]).value)
    return True


def _by_length(about: About, found: Found) -> bool:
    nearest = _otherwise_by_direction(about)
    rows = _places_of_rows(about, found["rows"])
    if found["own"]:
        assert about.step["rows"]["name"] == about.step["columns"]["name"], "rows and columns are not the same tokens"
        return rows == [i for i, (j,) in nearest.items() if i == j]
    group = nearest[rows[0]]
    tokens = about.step["rows"]["name"] and about.step["rows"]["name"] == about.step["columns"]["name"]
    others = [i for i, each in nearest.items() if each == group and not (tokens and each == [i])]
    return rows == others and about.is_list(found["nearest"], group)


def _by_length_rows(about: About, found: Found) -> bool:
    count, total = found["all"] or found["count"], found["all"] or found["total"]
    return (int(count), int(total)) == (len(_otherwise_by_direction(about)), len(about.value))


def _otherwise_by_direction(about: About) -> dict[int, list[int]]:
    """The rows in which another column would come first if only directions counted, each with that column."""
    queries, keys = _factors_of_scores(about)
    lengths = [length(key) for key in keys.value]
    nearest: dict[int, list[int]] = {}
    for i, asked in enumerate(queries.value):
        scores = [mp.fsum(a * b for a, b in zip(asked, key, strict=True)) for key in keys.value]
        cosines = [x / size if size else mp.mpf(0) for x, size in zip(scores, lengths, strict=True)]
        tops = largest(scores), largest(cosines)
        assert same(max(about.value[i]), about.value[i][tops[0][0]])
        if len(tops[0]) == len(tops[1]) == 1 and tops[0] != tops[1]:
            nearest[i] = tops[1]
    return nearest


def _behind_too(about: About, found: Found) -> bool:
    """That in these rows, and in one other that is read by itself, the second largest weight is close behind."""
    times = number(found["times"].strip("$"))
    rows = _places_of_rows(about, found["rows"])
    gaps = [sorted(about.value[i])[::-1] for i in rows]
    return len(rows) > 1 and all(second < first < second * times for first, second, *_ in gaps)


def _alone(about: About, found: Found) -> bool:
    row = about.row(found)
    return len(row) == 1 and about.is_figure(found["weight"], row[0])


def _also_equal(about: About, found: Found) -> bool:
    """That some places tie: they do in one row at least, all those that tie there, and are not its largest."""
    rows = list(enumerate(about.value))
    if about.is_row:
        rows = [(i, row) for i, row in enumerate(about.source.value) if all(map(same, row, about.value[0]))]
    return any(about.is_list(found["top"], group, i) for i, row in rows for group in groups(row)[1:])


def _ranking(about: About, found: Found) -> bool:
    (row,) = about.value
    listed = re.findall(rf"((?:[^()]|\(\D)*?) \(({NUMBER})( each, an exact tie)?\)(?:, )?", found["places"])
    order = groups(row)
    return len(listed) == len(order) and all(
        about.is_list(names, group) and about.is_figure(figure, row[group[0]]) and bool(tie) == (len(group) > 1)
        for (names, figure, tie), group in zip(listed, order, strict=True)
    )


def _mask(about: About) -> Rows:
    """What a sum adds to its first term: 0 or −∞ or a number."""
    scores = about.operand.value
    return [
        [b - a if mp.isfinite(b) else b for a, b in zip(*rows, strict=True)]
        for rows in zip(scores, about.value, strict=True)
    ]


def _masked_scores(about: About, found: Found) -> bool:
    hidden = [(i, j) for i, row in enumerate(_mask(about)) for j, x in enumerate(row) if x < 0]
    gone = [(i, j) for i, j in hidden if about.value[i][j] == INFINITE or about.value[i][j] + 100 < max(about.value[i])]
    return int(found["count"]) == len(gone)


def _masked_away(about: About, found: Found) -> bool:
    zeros = sum(x == 0 for row in about.value if any(row) for x in row)
    empty = [row for row in about.value if not any(row)]
    return zeros <= int(found["count"]) <= zeros + sum(map(len, empty))


def _nearly_away(about: About, found: Found) -> bool:
    """Weights that a finite mask, and a large one, has made so small that they print as 0."""
    scores = about.at(about.step["uses"][0])
    mask = _mask(scores)
    places = [
        (i, j)
        for i, row in enumerate(mask)
        for j, x in enumerate(row)
        if mp.isfinite(x) and x < 0 and not about.printed[i][j].strip("0.")
    ]
    small = [about.value[i][j] for i, j in places if about.value[i][j] > 0]
    large = all(mask[i][j] < -LARGE for i, j in places)
    return int(found["count"]) == len(small) and all(about.is_figure(found["weight"], x) for x in small) and large


def _sees_none(about: About, found: Found) -> bool:
    row = about.row(found)
    scores = about.source
    return not any(row) and all(x == INFINITE for x in scores.inner[int(found["row"] or 1) - 1])


def _sums(about: About, found: Found) -> bool:
    whole = [row for row in about.value if any(row)]
    count = int(found["count"]) if found["count"] else 1
    return (
        count == len(whole)
        and all(same(mp.fsum(row), ONE) for row in whole)
        and bool(found["others"]) == (len(whole) < len(about.value))
        and (not found["rounded"] or any(sum(map(number, row)) != 1 for row in about.printed))
    )


def _printed(about: About, found: Found) -> bool:
    listed = re.findall(rf"({NUMBER}) in row (\d+)", found["rows"])
    sums = {i + 1: sum(map(number, row)) for i, row in enumerate(about.printed)}
    off = {i for i, total in sums.items() if not same(total, ONE) and any(about.value[i - 1])}
    shown = all(same(number(text), sums[int(i)]) for text, i in listed)
    return shown and {int(i) for _, i in listed} <= off and (len(listed) == len(off) or len(sums) > 8)


def _relu(about: About, found: Found) -> bool:
    entries = [x for row in about.inner for x in row]
    cut = {"None": 0, "All": len(entries)}.get(found["cut"]) if not found["cut"].isdigit() else int(found["cut"])
    return (cut, int(found["total"])) == (sum(x < 0 for x in entries), len(entries))


def _normalised(about: About, found: Found) -> bool:
    spread = [variance(row) for row in about.value]
    is_mean = all(same(mean(row), 0 * ONE) for row in about.value)
    if found["zero"]:
        return is_mean and all(same(x, ONE) for x in spread)
    # The ε makes the difference only where there is a variance that it can make smaller.
    return is_mean and all(0 < x < 1 for x in spread) and (not found["hardly"] or min(spread) > mp.mpf("0.99"))


def _rms(about: About, found: Found) -> bool:
    squares = [mean([x * x for x in row]) for row in about.value]
    if not found["less"]:
        return all(same(x, ONE) for x in squares)
    return all(0 < x < 1 for x in squares) and (not found["hardly"] or min(squares) > mp.mpf("0.99"))


def _symmetric(about: About, found: Found) -> bool:
    value = about.value
    return all(same(value[i][j], value[j][i]) for i in range(len(value)) for j in range(i))


def _kept(about: About, found: Found) -> bool:
    mask = about.at(about.step["uses"][1]).value
    seen = [x == 0 for row in mask for x in row]
    # Of "the others" there have to be some.
    count = int(found["count"] or found["total"])
    return (count, int(found["total"])) == (sum(seen), len(seen)) and bool(found["others"]) != all(seen)


def _mask_keeps(about: About, found: Found) -> bool:
    entries = about.entries
    hides = all(x == 0 or x < -LARGE for x in entries)
    count = int(found["total"]) if found["all"] else int(found["kept"])
    return hides and (count, int(found["total"])) == (sum(x == 0 for x in entries), len(entries))


def _nobody(about: About, found: Found) -> bool:
    unseen = [j for j, column in enumerate(zip(*about.value, strict=True)) if all(x < -100 for x in column)]
    return about.is_list(found["columns"] + (found["more"] or ""), unseen)


def _unit(about: About, found: Found) -> bool:
    count = int(found["count"]) if found["count"] else 1
    return count == len(about.value) and all(same(length(row), ONE) for row in about.value)


def _entropy_range(about: About, found: Found) -> bool:
    most = mp.log(int(found["count"]))
    count = len(about.inner[0])
    fits = all(-(mp.mpf(10) ** -40) <= x <= most + mp.mpf(10) ** -40 for (x,) in about.value)
    return int(found["count"]) == int(found["again"]) == count and about.is_figure(found["most"], most) and fits


def _entropy_rows(about: About, found: Found) -> bool:
    order = groups([x for (x,) in about.value])
    ends = about.is_list(found["most"], order[0], -1, about.rows) and about.is_list(
        found["least"], order[-1], -1, about.rows
    )
    return ends and len(order) > 1 and all(same(mp.fsum(row), ONE) for row in about.inner if any(row))


def _clipped(about: About, found: Found) -> bool:
    long = length([x for row in about.inner for x in row])
    most = number(found["most"].replace("$", ""))
    exactly = not found["about"]
    fits = about.is_figure(found["length"], long) and (not exactly or same(number(found["length"]), long))
    return fits and (long > most) == bool(found["shortened"])


def _taken(about: About, found: Found) -> bool:
    row = about.row(found)
    source = about.inner[int(found["row"] or 1) - 1]
    chosen = [j for j, x in enumerate(row) if x == 1]
    if not about.is_list(found["taken"], chosen):
        return False
    cut = [group for group in groups(source) if 0 < sum(j in chosen for j in group) < len(group)]
    if not cut:
        return found["tied"] is None
    first = [j for j in cut[0] if j in chosen]
    return (
        about.is_list(found["tied"], cut[0])
        and about.is_list(found["first"], first)
        and first == sorted(cut[0])[: len(first)]
    )


def _chosen(about: About, found: Found) -> bool:
    source = about.operand
    about.row(found)
    top = groups(about.inner[int(found["row"] or 1) - 1])[0]
    first = first_largest(about.inner[int(found["row"] or 1) - 1], 1)
    is_first = int(found["id"]) == first[0] and source.is_list(found["column"], first)
    return (
        is_first
        and (found["tied"] is None) == (len(top) == 1)
        and (not found["tied"] or source.is_list(found["tied"], top[1:]))
    )


def _logarithms(about: About, found: Found) -> bool:
    inner = [mp.exp(x) for row in about.value for x in row]
    ones = sum(same(x, ONE) for x in inner)
    return all(x <= 1 + mp.mpf(10) ** -40 for x in inner) and int(found["ones"] or 0) == ones


def _rotated(about: About, found: Found) -> bool:
    before, after = about.inner, about.value
    kept = all(same(length(x), length(y)) for x, y in zip(before, after, strict=True))
    if found["still"]:
        i = int(found["still"]) - 1
        return kept and all(map(same, before[i], after[i]))
    return kept


def _equal(about: About, found: Found) -> bool:
    operand = about.called(found["operand"]).value
    results = re.findall(SYMBOL, re.sub(r" and |, ", " ", found["results"]))
    return all(
        same(x, y)
        for each in results
        for rows in zip(about.called(each).value, operand, strict=True)
        for x, y in zip(*rows, strict=True)
    )


def _left_out(about: About, found: Found) -> bool:
    first, last = int(found["first"]), int(found["last"] or found["first"])
    count = len(about.value)
    assert 1 < first <= last < count, "rows that are not there, or the first or the last"
    said = " ".join(about.step["readings"])
    told = {i for i in range(1, count + 1) if f"Row {i} " in said}
    return told == set(range(1, count + 1)) - set(range(first, last + 1)) or not told


def _largest_entries(about: About, found: Found) -> bool:
    listed = re.findall(r"rows? ([\d, and]+?) in ((?:column \d+(?:, | and )?)+) \(([^)]*)\)", found["groups"])
    assert listed, "nothing is listed"
    for rows, top, weights in listed:
        each = zip(re.findall(r"\d+", rows), re.findall(NUMBER, weights), strict=True)
        for i, weight in each:
            row = about.value[int(i) - 1]
            if not (about.is_list(top, largest(row)) and about.is_figure(weight, row[largest(row)[0]])):
                return False
    return True


def _by_hand(about: About, found: Found) -> bool:
    """The figures that come out differently where every operand is taken as it is printed."""
    i, j = (int(found["row"]) - 1, int(found["column"]) - 1) if found["row"] else (0, 0)
    wrong = other_figures(about)
    return (
        int(found["count"]) == len(wrong)
        and wrong.get((i, j)) == _bare(found["worked"])
        and about.printed[i][j] == _bare(found["proved"])
    )


def _bare(text: str) -> str:
    return text.strip("$").replace("−", "-")


def other_figures(about: About) -> dict[tuple[int, int], str]:
    """Where a step that starts from printed figures prints another one, and which."""
    sizes = {name: value for name, value in about.values.items() if name not in about.named}
    given = {each["name"] for each in about.data["givens"]}
    printed = {
        name: [[number(x) for x in row] for row in about.at(name).printed]
        for name in about.step["uses"]
        if name not in given
    }
    known = sizes | {name: about.values[name] for name in given} | printed
    found = work_out(about.step["written"], known)
    wrong = {}
    for i, row in enumerate(about.printed):
        for j, text in enumerate(row):
            value = found[i][j]
            if (
                mp.isfinite(value)
                and "10^" not in text
                and (other := rounded(value, len(text.partition(".")[2])))
                != rounded(number(text), len(text.partition(".")[2]))
            ):
                wrong[i, j] = other
    return wrong


def _open(about: About, found: Found) -> bool:
    """Places that are said to be too close together: they are equal, as far as 70 digits tell."""
    row = about.row(found)
    return about.is_list(found["top"], largest(row), _own(about, found))


TOP, WEIGHT = r"(?P<top>[^:.]+?)", rf"(?P<weight>{NUMBER})"
SIZE = r"\$?\w+\$?"
OF = r"(?P<count>\d+) (?:entry is|entries are)"

OF_STEPS = (
    Kind("attends", rf"{ROW} has only one entry to attend to: its weight is {WEIGHT}\.", _alone),
    Kind("attends", rf"{ROW} can see only {TOP}: the weight is {WEIGHT}\.", _forced),
    Kind("attends", rf"{ROW} (?:spreads its attention|is spread) almost evenly, from (?P<least>{NUMBER}) to {WEIGHT}; even would be (?P<count>one half|1/\d+)\.", _even),
    Kind("attends", rf"{ROW} gives its largest weight, {WEIGHT}, to {TOP}, just ahead of (?P<second>[^()]+?) \((?P<next>{NUMBER})\)\.", _just_ahead),
    Kind("equal_rows", rf"These rows are exactly equal: (?P<rows>.*?)(?:, because their rows of (?P<queries>{SYMBOL}) are|\. Columns (?P<one>\d+) and (?P<other>\d+) of (?P<keys>{SYMBOL}) are equal, so a score depends only on the sum of the two numbers that meet them, and that sum is the same in these rows)?\.(?= |$)", _equal_rows),
    Kind("by_length", r"Length decides in (?P<rows>[^:]+): by direction alone, (?:(?P<own>each would|it would) give most to itself|(?P<nearest>[^.]+) would come first)\.", _by_length),
    Kind("by_length_rows", r"Length decides in (?:all (?P<all>\d+) rows|(?P<count>\d+) of the (?P<total>\d+) rows): by direction alone, another column would come first in each of them\.", _by_length_rows),
    Kind("behind_too", r"In (?P<rows>(?:rows?|the rows?) [^.]+), too, the largest weight is less than (?P<times>\S+) times the second largest\.", _behind_too),
    Kind("attends", rf"{ROW} attends most to {TOP}: their weights are too close together to settle which is the largest, or whether they tie\.", _open),
    Kind("attends", rf"{ROW} attends equally to {TOP}: their weights tie exactly, at {WEIGHT} each\.", _attends),
    Kind("attends", rf"{ROW} has its largest entries in {TOP}, too close together to settle which is the largest, or whether they tie\.", _open),
    Kind("attends", rf"{ROW} has its largest entries in {TOP}, which tie exactly, at {WEIGHT} each\.", _largest),
    Kind("attends", rf"The entries in {TOP} tie exactly\.", _also_equal),
    Kind("attends", rf"{ROW} has its largest entry in {TOP} \({WEIGHT}{PART}\)\.", _largest),
    Kind("attends", rf"{ROW} attends most to {TOP} \({WEIGHT}(?:{PART} of the attention)?\)\.", _attends),
    Kind("attends", rf"It gives exactly the same weight to {TOP}\.", _also_equal),
    Kind("largest_share", rf"{ROW} gives {TOP} the largest shares, too close together to settle which is the largest, or whether they tie\.", _open),
    Kind("largest_share", rf"{ROW} gives {TOP} the largest shares, which tie exactly, at {WEIGHT} each\.", _largest),
    Kind("largest_share", rf"{ROW} gives {TOP} the largest share \({WEIGHT}{PART}\)\.", _largest),
    Kind("largest_share", rf"The shares of {TOP} tie exactly\.", _also_equal),
    Kind("rows_left_out", r"Rows? (?P<first>\d+)(?: to (?P<last>\d+))? (?:is|are) left out here\.", _left_out),
    Kind("ranking", r"From largest to smallest: (?P<places>.*?\))\.", _ranking),
    Kind("masked_scores", rf"{OF} masked: softmax will give them no weight\.", _masked_scores),
    Kind("masked_away", rf"{OF} masked away, with a weight of exactly 0\.", _masked_away),
    Kind("masked_away", rf"{OF} masked away: the weight prints as {WEIGHT} but is not exactly 0, because the mask is a large number and not infinity\.", _nearly_away),
    Kind("sees_no_key", rf"{ROW} sees no key: all its scores are −∞, and their softmax would be 0 divided by 0\. Its weights are set to 0, as some programs do, and sum to 0\.", _sees_none),
    Kind("rows_sum_to_one", r"(?:(?P<rounded>Before rounding, e)|E)ach of the (?P<others>other )?(?P<count>\d+) rows sums to exactly 1\.", _sums),
    Kind("rows_sum_to_one", r"(?:(?P<rounded>Before rounding, t)|T)he (?P<others>(?!))?(?P<count>(?!))?entries sum to exactly 1\.", _sums),
    Kind("rows_sum_to_one", r"(?:(?P<rounded>Before rounding, t)|T)he (?P<others>other) (?P<count>(?!))?row sums to exactly 1\.", _sums),
    Kind("printed_sums", r"The printed, rounded figures add up to something slightly different: (?P<rows>.*\d)\.", _printed),
    Kind("relu_cut", r"(?P<cut>None) of the (?P<total>\d+) entries is negative: nothing is cut off\.", _relu),
    Kind("relu_cut", r"(?P<cut>All) (?P<total>\d+) entries are negative and become 0\.", _relu),
    Kind("relu_cut", r"(?P<cut>\d+) of the (?P<total>\d+) entries (?:is|are) negative and becomes? 0; the others stay as they are\.", _relu),
    Kind("normalised_rows", r"Every row now has mean 0 and variance (?:(?P<zero>1)|(?P<hardly>just )?below 1 \(the \S.*? under the root makes the difference\))\.", _normalised),
    Kind("root_mean_square", r"Every row now has the root mean square 1(?P<less>, or (?P<hardly>a little )?less: the \S.*? under the root makes the difference)?\.", _rms),
    Kind("symmetric", rf"The matrix is symmetric: entry \((?P<i>{SIZE}), (?P<j>{SIZE})\) and entry \((?P=j), (?P=i)\) are the same dot product\.", _symmetric),
    Kind("kept", r"(?:All|(?P<count>\d+) of the) (?P<total>\d+) entries (?:is|are) kept(?P<others>; the others become exactly 0)?\.", _kept),
    Kind("mask_keeps", r"(?:(?P<all>All)|(?P<kept>\d+) of the) (?P<total>\d+) entries stays? visible\.", _mask_keeps),
    Kind("unit_rows", r"(?:The row|Each of the (?P<count>\d+) rows) now has length 1\.", _unit),
    Kind("entropy_range", rf"Over (?P<count>\d+) entr(?:y|ies), entropy lies between 0 \(everything in one entry\) and ln (?P<again>\d+) [=≈] (?P<most>{NUMBER}) \(the same in every entry\)\.", _entropy_range),
    Kind("zero_shares", r"Entries of 0 add nothing: 0 ln 0 counts as 0\.", lambda about, _: any(0 in row for row in about.inner)),
    Kind("entropy_rows", r"The shares are spread most evenly in (?P<most>.+?), least evenly in (?P<least>.+?)\.", _entropy_rows),
    Kind("clipped", rf"The length is (?P<about>about )?(?P<length>{NUMBER}), (?:(?P<shortened>more)|not more) than (?P<most>[^:]+): (?:every entry is made smaller by the same factor, and the direction stays|nothing changes)\.", _clipped),
    Kind("nobody_sees", r"No position sees (?P<columns>.+?)(?P<more> and \d+ more)?: that is padding\.", _nobody),
    Kind("taken", rf"{ROW} takes (?P<taken>[^.]+)\.(?: The entries in (?P<tied>[^.;]+) tie exactly; of equals the first (?:is|are) taken, here (?P<first>[^.]+)\.)?", _taken),
    Kind("chosen", rf"{ROW} chooses id (?P<id>\d+), (?P<column>[^.]+)\.(?: The entr(?:y|ies) in (?P<tied>[^.;]+) (?:is|are) exactly as large; of equals the first is taken\.)?", _chosen),
    Kind("logarithms", r"No logarithm is positive, because none of the numbers is above 1(?:; where a number is exactly 1 \(in (?P<ones>\d+) entr(?:y|ies)\), the logarithm is 0)?\.", _logarithms),
    Kind("rotated", r"Turning changes directions only: every row keeps its length\.(?: Row (?P<still>\d+) is at position 0 and stays as it is\.)?", _rotated),
    Kind("equals_operand", rf"(?P<results>{SYMBOL}(?:(?:, | and ){SYMBOL})*) ha(?:s|ve) the same entries as (?P<operand>{SYMBOL})\.", _equal),
    Kind("largest_entries", r"Largest entries: (?P<groups>.*\))\.", _largest_entries),
    Kind("by_hand", rf"Worked from the printed figures instead of the exact values, (?P<count>\d+) entr(?:y|ies) would come out differently, for example (?P<worked>{NUMBER}) instead of (?P<proved>{NUMBER})(?: in row (?P<row>\d+), column (?P<column>\d+))?\.", _by_hand),
)  # fmt: skip
"""A kind may have several forms; the first that a sentence has decides."""
