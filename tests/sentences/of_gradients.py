"""What readings say of gradients: their signs, their sums, and where they are exactly 0."""

from __future__ import annotations

import re

from tests.sentences.of_steps import Found
from tests.sentences.page import NUMBER, SYMBOL, About, Kind
from tests.sentences.values import Rows, mp, number, parsed, same, work_out


def _of(about: About, found: Found) -> Rows:
    """The gradient that a sentence names, which is the step it stands at."""
    assert about.called(found["symbol"]).name == about.name, "it is another gradient"
    return about.value


def _is_zero(x: object) -> bool:
    return bool(same(x, mp.mpf(0)) or abs(x) < mp.mpf(10) ** -45)  # type: ignore[arg-type]


def _places(text: str) -> set[tuple[int, int]]:
    return {(int(i) - 1, int(j) - 1) for i, j in re.findall(r"\((\d+), (\d+)\)", text)}


def _sums(about: About, found: Found) -> bool:
    value = _of(about, found)
    count = int(found["count"] or 1)
    return count == len(value) and all(_is_zero(mp.fsum(row)) for row in value)


def _masked(about: About, found: Found) -> bool:
    """That hidden scores have no gradient: those whose softmax, worked out again, is exactly 0."""
    scores = about.at(about.name.removeprefix("d").split("_")[0]).value
    hidden = {(i, j) for i, row in enumerate(scores) for j, x in enumerate(row) if x == -mp.inf}
    told = _places(found["places"] or "")
    zero = all(about.value[i][j] == 0 for i, j in hidden)
    return zero and int(found["count"] or 1) == len(hidden) and (not told or told == hidden)


def _answers(about: About, found: Found) -> bool:
    """One negative entry in each row, where the loss has its target."""
    value = about.value if not found["symbol"] else _of(about, found)
    targets = [re.search(r"cross_entropy\(.*\[([\d, ]+)\]\)", step["written"]) for step in about.data["steps"]]
    (right,) = [list(map(int, each[1].split(","))) for each in targets if each]
    negative = [[j for j, x in enumerate(row) if x < 0] for row in value]
    return int(found["count"] or 1) == len(value) and negative == [[j] for j in right]


def _bent(about: About) -> Rows:
    """What ReLU was applied to, in the slope that the gradient has as a factor."""
    slope = re.search(r"relu_grad_X\(([^()]*)\)", about.step["written"])
    assert slope, "no slope"
    return work_out(slope[1], about.values)


def _off(about: About, found: Found) -> bool:
    off = {(i, j) for i, row in enumerate(_bent(about)) for j, x in enumerate(row) if x < 0}
    total = sum(map(len, about.value))
    told = _places(found["places"] or "")
    count = total if found["all"] else int(found["count"])
    zero = all(about.value[i][j] == 0 for i, j in off)
    return zero and (count, int(found["total"])) == (len(off), total) and (not told or told == off)


def _kink(about: About, found: Found) -> bool:
    there = {(i, j) for i, row in enumerate(_bent(about)) for j, x in enumerate(row) if x == 0}
    told = _places(found["places"])
    return (told == there or found["places"].startswith(f"{len(there)} ")) and all(
        about.value[i][j] == 0 for i, j in there
    )


def _unused(about: About, found: Found) -> bool:
    table = about.called(found["table"])
    value = _of(about, found)
    zero = {i for i, row in enumerate(value) if not any(row)}
    (used,) = [
        {int(x) for row in work_out(step["written"].split("(")[1].split("]")[0] + "]", about.values) for x in row}
        for step in about.data["steps"]
        if step["written"].startswith("one_hot([") and parsed(step["written"])
    ]
    named, more = about.places(found["rows"], -1, table.rows, len(table.value))
    unused = set(range(len(table.value))) - used
    return named <= unused <= zero and len(named) + more == len(unused)


def _quotient(about: About, given: str, place: tuple[int, int], move: object) -> object:
    """(L(w + h) − L(w)) / h, with the steps up to the loss worked out anew from givens one of which has changed."""
    known = {name: [list(row) for row in rows] for name, rows in about.values.items()}
    known[given][place[0]][place[1]] += move
    for step in about.data["steps"]:
        known[step["name"]] = work_out(step["written"], known)
        if step["name"] == "L":
            return (known["L"][0][0] - about.at("L").value[0][0]) / move
    raise AssertionError("no loss")


def _moved(about: About, symbol: str) -> tuple[str, tuple[int, int]]:
    """The given and the entry that w_{21} is."""
    found = re.fullmatch(r"\$([a-z])_(?:\{(\d)(\d)\}|(\d))\$", symbol)
    assert found, f"{symbol} is no entry"
    name = found[1].upper()
    one_row = len(about.at(name).value) == 1
    i, j = (found[2], found[3]) if found[2] else ("1", found[4]) if one_row else (found[4], "1")
    assert name in {each["name"] for each in about.data["givens"]}, f"{name} is not given"
    return name, (int(i) - 1, int(j) - 1)


def _apart(about: About, found: Found, move: str) -> tuple[object, object]:
    """How much the quotient for a move and the gradient differ, and the gradient."""
    given, (i, j) = _moved(about, found["entry"])
    slope = about.called(rf"$\partial L/\partial {given}$").value[i][j]
    return abs(_quotient(about, given, (i, j), number(move)) - slope), slope


def _is_told(about: About, exactly: str | None, figure: str, value: object) -> bool:
    return same(number(figure), value) if exactly else about.is_figure(figure, value)


def _check_near(about: About, found: Found) -> bool:
    (far, slope), (near, _) = (_apart(about, found, found[each]) for each in ("move", "smaller"))
    nearly = far <= abs(slope) / 20 and near < far  # type: ignore[operator, arg-type]
    told = _is_told(about, found["exact"], found["apart"], far) and _is_told(
        about, found["exact_too"], found["nearer"], near
    )
    return bool(nearly and told and far > 0)  # type: ignore[operator]


def _check_same(about: About, found: Found) -> bool:
    apart, slope = _apart(about, found, found["move"])
    return _is_zero(apart) and not _is_zero(slope)


def _check_apart(about: About, found: Found) -> bool:
    """That the difference does not get smaller as the move does, or is large beside the gradient."""
    (far, slope), (near, _) = (_apart(about, found, found[each]) for each in ("move", "smaller"))
    told = _is_told(about, found["exact"], found["apart"], far) and _is_told(
        about, found["exact_too"], found["nearer"], near
    )
    return told and bool(near > far / 5 or far > abs(slope) / 20)  # type: ignore[operator, arg-type]


def _ones(about: About, found: Found) -> bool:
    """That so many ones are what the sign says, and that the formula of the step has as many rows or columns."""
    told = {int(each) for each in re.findall(r"\d+", found["sizes"])}
    sizes = {size for use in about.step["uses"] for size in (len(about.at(use).value), len(about.at(use).value[0]))}
    sizes |= {len(about.value), len(about.value[0]), 1}
    return told <= sizes and (found.re.groupindex.get("count") is None or told == {int(found["count"])})


def _kept(about: About, found: Found) -> bool:
    """That a bold 1 has the condition that is told below it, in a step that keeps what a mask shows."""
    return found["sign"] == found["condition"] and "keep(" in about.step["written"]


EACH = rf"(?:The entries of|Each of the (?P<count>\d+) rows of) (?P<symbol>{SYMBOL})"

OF_GRADIENTS = (
    Kind(
        "gradient_rows",
        rf"{EACH} sums? to exactly 0(?:: the same number added to all (?:scores of a row changes none of its shares|entries of a row changes nothing behind the norm))?\.",
        _sums,
    ),
    Kind(
        "gradient_masked",
        r"The gradient of the (?:(?P<count>\d+) )?masked scores?(?:, at (?P<places>[^:]*?),)? is exactly 0: (?:its weight is|their weights are) exactly 0, however the scores? (?:is|are) changed\.",
        _masked,
    ),
    Kind(
        "gradient_answers",
        rf"(?:Only|In each of the (?P<count>\d+) rows of (?P<symbol>{SYMBOL}) only) the entry of the right answer is negative: a step against the gradient raises its score and lowers all others\.",
        _answers,
    ),
    Kind(
        "gradient_off",
        r"ReLU is off at (?P<all>all )?(?:(?P<count>\d+) of the )?(?P<total>\d+) entries(?P<places>, \([^:]*)?: (?:there the gradient is exactly 0|nothing comes back, and the gradient is exactly 0)\.",
        _off,
    ),
    Kind(
        "gradient_unused",
        rf"No token uses (?P<rows>.+?) of (?P<table>{SYMBOL}): there (?P<symbol>{SYMBOL}) is exactly 0\.",
        _unused,
    ),
    Kind(
        "gradient_kink",
        r"At (?P<places>.+?) ReLU stands exactly at 0, where it has no derivative: 0 is taken, as is usual\.",
        _kink,
    ),
    Kind(
        "sign_ones_column",
        r"\$\\mathbf 1_(?P<sizes>\{?\d+\}?)\$ is a column of \$(?P<count>\d+)\$ ones(?:, \$\\mathbf 1_(?P=sizes)\^T\$ a row of them)?\.",
        _ones,
    ),
    Kind(
        "proof_holds",
        r"\$\\mathbf 1_\{(?P<sign>[^$]+ = 0)\}\$ is 1 where \$(?P<condition>[^$]+)\$ holds, and 0 elsewhere\.",
        _kept,
    ),
    Kind("sign_ones_everywhere", r"Every entry of \$\\mathbf 1_\{(?P<sizes>\d+\\times \d+)\}\$ is 1\.", _ones),
    Kind(
        "gradient_check_near",
        rf"When (?P<entry>{SYMBOL}) grows by (?P<move>\$0\.001\$), \$L\$ changes by nearly (?P=move) times the gradient\. The quotient is the average slope of \$L\$ over the move, the gradient its slope where the move starts; they differ by (?P<exact>exactly )?(?P<apart>{NUMBER}) because \$L\$ is not a straight line\. With (?P<smaller>\$0\.0001\$) in place of (?P=move) they would differ by (?:only |(?P<exact_too>exactly ))(?P<nearer>{NUMBER})\.",
        _check_near,
    ),
    Kind(
        "gradient_check_same",
        rf"The quotient is exactly the gradient: when (?P<entry>{SYMBOL}) grows by (?P<move>\$0\.001\$), \$L\$ changes by exactly (?P=move) times the gradient\.",
        _check_same,
    ),
    Kind(
        "gradient_check_apart",
        rf"The quotient and the gradient differ by (?P<exact>exactly )?(?P<apart>{NUMBER}), and with (?P<smaller>\$0\.0001\$) in place of (?P<move>\$0\.001\$) by (?P<exact_too>exactly )?(?P<nearer>{NUMBER})\. \$L\$ has a kink near this value of (?P<entry>{SYMBOL}), or bends strongly there: the gradient does not tell how \$L\$ changes over such a move\.",
        _check_apart,
    ),
)
"""Sentences of a backward pass that every page of gradients has; its reasons are general rules."""
