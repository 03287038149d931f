"""Where long statements break, and that breaking loses nothing."""

from __future__ import annotations

import re
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from symattn.show.math import (
    Accented,
    Blank,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
    Highlighted,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Shaped,
    Sign,
    Squared,
    Stacked,
    Sum,
    equation,
    every,
    joined,
    seq,
)
from symattn.write.layout import displays, height, lines, width
from symattn.write.tex_math import DISPLAY, DollarTex, MarkdownTex, TexMath, tex

q = Script(Letter("q"), sub=seq(Number("1"), Number("1")))


def products(count: int) -> list[Math]:
    return [seq(Number("0.21"), Sign("·"), Parens(Number("-0.50"))) for _ in range(count)]


def flat(body: str) -> str:
    """TeX without line breaks, alignment marks, indents and white space."""
    body = re.sub(r"\\(begin|end)\{aligned\}|\\\\(\[10pt\])?|\\quad(\{\})?|&", "", body)
    return re.sub(r"\s+", "", body)


letters = st.one_of(
    st.sampled_from([Letter("Q"), Letter("mu"), Letter("LN", "upright"), Letter("row")]),
    st.builds(Letter, st.text(max_size=8), st.just("text")),
)
numbers = st.sampled_from(["0", "0.145", "-10^9", "1.5*10^9", "3/4", "-oo", "1234567890.123"]).map(Number)
signs = st.sampled_from(["+", "-", "·", "×", ",", "⋯", "≤", ">"]).map(Sign)


def larger(inner: st.SearchStrategy[Math]) -> st.SearchStrategy[Math]:
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    rows = st.lists(st.tuples(inner, inner), min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.lists(st.one_of(inner, signs), min_size=1, max_size=9).map(tuple).map(Seq),
        st.builds(Script, inner, st.none() | inner, st.none() | inner),
        st.builds(Accented, st.sampled_from(["tilde", "hat", "bar", "bold"]), inner),
        st.builds(Fraction, inner, inner),
        st.builds(Root, inner),
        st.builds(Parens, inner),
        st.builds(Call, st.just("softmax"), some),
        st.builds(Sum, inner, inner, inner, inner),
        st.builds(Shaped, inner, inner, inner, st.booleans()),
        st.builds(Stacked, inner, st.lists(inner, min_size=1, max_size=4).map(tuple), st.booleans()),
        st.builds(Grid, rows),
        st.builds(Highlighted, inner, st.sampled_from(["row", "column", "result"])),
        st.builds(lambda cells: Squared(Grid(cells), Grid(cells), Grid(cells)), rows),
        st.builds(Cases, rows),
    )


pieces = st.recursive(st.one_of(letters, numbers, st.builds(Blank, st.integers(1, 9))), larger, max_leaves=12)
relations = st.sampled_from(["=", "≈", "<", "≥"])
chains = st.builds(Chain, pieces, st.lists(st.tuples(relations, pieces), max_size=3).map(tuple))
modes = st.sampled_from([TexMath(), MarkdownTex(), DollarTex()])


@settings(max_examples=40)
@given(
    st.lists(chains, min_size=1, max_size=3).map(tuple), modes, st.sampled_from([2, 10, 40]), st.sampled_from([2, inf])
)
def test_breaking_loses_nothing(chains: tuple[Chain, ...], mode: TexMath, limit: float, highest: float) -> None:
    bodies = displays(chains, mode, limit, highest=highest)
    assert flat("".join(bodies)) == flat("".join(tex(chain, mode) for chain in chains))


@settings(max_examples=40)
@given(pieces, modes)
def test_braces_balance_and_nothing_is_left_to_markdown(piece: Math, mode: TexMath) -> None:
    for mode_ in (mode, mode.small):
        text = tex(piece, mode_)
        bare = re.sub(r"\\[\\{}]", "", text)
        assert bare.count("{") == bare.count("}")
        if isinstance(mode, MarkdownTex):
            assert re.search(r"[`|<>*~]", text) is None
            assert re.search(r"(?<!\\)[$#%]", text) is None
        if isinstance(mode, DollarTex):
            # The only escapes are a space and the end of a row, which ends its line too.
            assert set(re.findall(r"\\[^A-Za-z]", text)) <= {"\\ ", "\\\\"}
            assert re.search(r"\\\\(?!\n)", text) is None
            assert re.search(r"(?<![A-Za-z0-9])_|_\s", text) is None
    assert "\n" not in tex(piece, mode.small)


@settings(max_examples=40)
@given(pieces)
def test_widths_and_heights_are_positive(piece: Math) -> None:
    assert width(piece) >= 0
    assert height(piece) >= 1


@settings(max_examples=40)
@given(
    st.lists(st.floats(-9, 9).map(lambda value: Number(f"{value:.3f}")), min_size=2, max_size=60), st.integers(8, 60)
)
def test_lines_of_a_sum_fit(terms: list[Number], limit: int) -> None:
    guarded = [Parens(term) if term.text.startswith("-") else term for term in terms]
    for line in lines(equation(q, joined(guarded, "+")), DISPLAY, limit):
        # Every figure is at most 4 em wide with its sign and parentheses; a plus is 1.25.
        assert len(re.findall(r"\d+\.\d+", line.right)) <= max(1, limit // 3)


def test_a_short_statement_is_one_line() -> None:
    assert displays((equation(q, *products(2)),), DISPLAY, 40) == (r"q_{11} = 0.21\cdot(-0.50) = 0.21\cdot(-0.50)",)


def test_a_long_one_breaks_before_relations_and_then_before_plus() -> None:
    (body,) = displays((equation(q, joined(products(5), "+"), Number("0.145")),), DISPLAY, 30)
    assert body.splitlines() == [
        r"\begin{aligned}",
        r"q_{11} &= 0.21\cdot(-0.50) + 0.21\cdot(-0.50) + 0.21\cdot(-0.50)\\",
        r"&\quad{} + 0.21\cdot(-0.50) + 0.21\cdot(-0.50)\\",
        r"&= 0.145",
        r"\end{aligned}",
    ]


def test_it_breaks_inside_plain_parentheses_too_but_not_in_tall_ones() -> None:
    share = Fraction(Number("1"), Number("4"))
    long = joined(products(5), "+")
    (body,) = displays((equation(q, seq(share, Parens(long))),), DISPLAY, 30)
    assert r"= \frac{1}{4}(0.21" in body
    assert body.count(r"\quad") == 1
    tall = Parens(joined([*products(5), share], "+"))
    (body,) = displays((equation(q, seq(share, tall)),), DISPLAY, 30)
    assert r"\quad" not in body


def test_it_breaks_inside_a_sum_and_inside_a_formula_with_places() -> None:
    long = Parens(joined(products(5), "+"))
    total = Sum(Letter("t"), Number("1"), Letter("d"), long)
    entry = Script(long, sub=seq(Letter("i"), Letter("j")))
    for side, start, end in ((total, r"= \sum_{t=1}^{d} (0.21", ")"), (entry, "= (0.21", ")_{ij}")):
        first, *rest = (line.right for line in lines(equation(q, side), DISPLAY, 25))
        assert first.startswith(start)
        assert rest[-1].endswith(end)
        assert all(line.startswith(r"\quad{} +") for line in rest)


def test_the_left_side_of_a_proof_makes_room_for_its_lines() -> None:
    left, side = Call("softmax", (Letter("X"),)), joined(products(3), "+")
    proof = Chain(left, (("=", side), ("=", side)), (1, 2))
    limit = width(side) + 4
    assert [line.right.count("+") for line in lines(proof, DISPLAY, limit)] == [0, 2, 2]
    assert lines(equation(left, side, side), DISPLAY, limit)[0].left == r"\mathrm{softmax}(X)"


def test_a_sign_is_no_place_to_break() -> None:
    side = seq(Sign("-"), Number("1"), Sign("·"), Sign("-"), Number("2"))
    assert [line.right for line in lines(equation(q, side), DISPLAY, 1)][-1] == r"\quad = -1\cdot-2"


def test_a_wide_left_side_has_its_own_line() -> None:
    name = Call("LayerNormalisation", (Letter("X"), Letter("gamma"), Letter("beta")))
    (body,) = displays((equation(name, Number("1"), joined(products(3), "+")),), DISPLAY, 20)
    assert body.splitlines()[1:3] == [r"&\mathrm{LayerNormalisation}(X, \gamma, \beta)\\", r"&\quad = 1\\"]


def test_statements_stand_under_each_other() -> None:
    (body,) = displays((equation(q, Number("1")), equation(Letter("s"), Number("2"))), DISPLAY, 40)
    assert body == "\\begin{aligned}\nq_{11} &= 1\\\\\ns &= 2\n\\end{aligned}"


def test_many_statements_become_several_displays() -> None:
    bodies = displays(tuple(equation(q, Number(str(n))) for n in range(20)), DISPLAY, 40, highest=10)
    assert [body.count("q") for body in bodies] == [7, 7, 6]


def test_grids_are_found_wherever_they_are() -> None:
    grid = Grid(((Number("1"),),))
    chain = equation(Letter("Z"), seq(Script(grid, sup=Sign("T")), Parens(Fraction(grid, Number("2")))))
    assert list(every(Grid, chain)) == [grid, grid]


# Numbers over the signs of a proof

CHAIN = Chain(Letter("a"), (("=", Letter("b")), ("=", Letter("c"))), (1, 2))


def test_a_chain_with_numbers() -> None:
    assert tex(CHAIN) == r"a \overset{(1)}{=} b \overset{(2)}{=} c"
    assert tex(equation(Letter("a"), Letter("b"))) == "a = b"


def test_the_numbers_stay_where_the_chain_is_broken() -> None:
    (text,) = displays((CHAIN,), DISPLAY, 3)

    assert [line.split("&")[1] for line in text.splitlines()[1:-1]] == [r"\overset{(1)}{=} b\\", r"\overset{(2)}{=} c"]


def test_every_relation_has_a_number_or_none_has() -> None:
    with pytest.raises(ValueError, match="zip"):
        tex(Chain(Letter("a"), CHAIN.links, (1,)))


def test_an_expected_value_has_square_brackets() -> None:
    assert tex(Call("E", (Letter("x"),), "square")) == r"\mathrm{E}[x]"
    assert tex(Call("E", (Fraction(Letter("x"), Number("2")),), "square")) == r"\mathrm{E}\left[\frac{x}{2}\right]"


def test_a_proof_over_several_pages_is_one_alignment() -> None:
    """Wide lines are broken rather than put into boxes of their own, each centred by itself."""
    text = (
        'title = "t"\n[general]\nQ = ["n", "d"]\nK = ["n", "d"]\n[[section]]\ntitle = "a"\n'
        'steps = [{ prove = ["rotary(Q, start=1) @ rotary(K, start=1).T", "rotary(Q) @ rotary(K).T"] }]\n'
    )
    page = derive(loads(text)).render("latex", language="en")
    (proof,) = re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", page, re.DOTALL)
    assert [int(mark) for mark in re.findall(r"\\overset\{\((\d+)\)\}", proof)] == list(range(1, 13))
