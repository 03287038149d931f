"""Proofs on the page: the statement, lines with numbers, a reason for each number, in every language."""

from __future__ import annotations

import re

import pytest

from symattn.api.worked import derive
from symattn.base.words import languages
from symattn.compute.proof.equality import prove
from symattn.compute.proof.rules import RULES
from symattn.compute.proof.tree import ProofError
from symattn.read.scenario.load import loads
from symattn.show.blocks import Block, Equation, Phrase, Readings
from symattn.show.build import build_document
from symattn.show.math import Chain, Letter, Number, Sum
from symattn.show.notation.formulas import Names
from symattn.show.proofs.statements import proof_blocks
from symattn.write import environment
from symattn.write.tex_math import tex

HEAD = """\
title = "Proofs"
[general]
S = ["m", "n"]
T = ["m", "n"]
q = ["1", "d"]
k = ["1", "d"]
F = ["m", "r"]
G = ["n", "r"]
V = ["n", "v"]
X = ["n", "d"]
Y = ["m", "d"]
S_1 = ["m", "a"]
S_2 = ["m", "b"]
V_1 = ["a", "v"]
V_2 = ["b", "v"]
[[section]]
title = "s"
"""
EXPECTED = ("definition", "scale", "linearity", "independence", "mean_zero", "square", "diagonal", "variance_one")


def blocks(item: str, symbol: str = "") -> tuple[Block, ...]:
    head = f'symbols = ["{symbol}"]\n{HEAD}' if symbol else HEAD
    scenario = loads(f"{head}steps = [{item}]", path="lesson.toml")
    return build_document(scenario, derive(scenario).store, detail="steps").blocks[1:]


def chain(found: tuple[Block, ...], number: int) -> Chain:
    return [block for block in found if isinstance(block, Equation)][number].chains[0]


def test_the_blocks_and_the_lines_of_the_softmax_shift() -> None:
    found = blocks('{ prove = ["softmax(S - row_max(S) @ ones(1, n))", "softmax(S)"], note = "Hm." }')
    lines = [tex(side) for _, side in chain(found, 1).links]
    rules = ["rule_definition", "rule_power_law", "rule_pull_out", "rule_cancel", "rule_definition"]

    kinds = [type(block).__name__ for block in found]
    assert kinds == ["Phrase", "Equation", "Phrase", "Phrase", "Equation", "Readings", "Phrase", "Prose"]
    assert tex(chain(found, 0)).endswith(r" = \mathrm{softmax}(S)")
    assert chain(found, 1).marks == (1, 2, 3, 4, 5)
    assert [item.key for block in found if isinstance(block, Readings) for item in block.items] == rules
    assert lines[1] == (
        r"\frac{e^{s_{ij}}e^{-\mathrm{max}_u\,s_{iu}}}"
        r"{\sum_{l=1}^{n} e^{s_{il}}e^{-\mathrm{max}_u\,s_{iu}}}"
    )
    assert lines[3] == r"\frac{e^{s_{ij}}}{\sum_{l=1}^{n} e^{s_{il}}}"


def test_the_same_index_has_the_same_letter_in_every_line() -> None:
    lines = [tex(side) for _, side in chain(blocks('{ prove = ["(F @ G.T) @ V", "F @ (G.T @ V)"] }'), 1).links]
    assert lines[:4] == [
        r"\sum_{l=1}^{n} \left(\sum_{u=1}^{r} f_{iu}g_{lu}\right)V_{lj}",
        r"\sum_{l=1}^{n} \sum_{u=1}^{r} f_{iu}g_{lu}V_{lj}",
        r"\sum_{u=1}^{r} \sum_{l=1}^{n} f_{iu}g_{lu}V_{lj}",
        r"\sum_{u=1}^{r} f_{iu}\sum_{l=1}^{n} g_{lu}V_{lj}",
    ]


SHIFT = '{ prove = ["rotary(X, start=s) @ rotary(X, start=s).T", "rotary(X) @ rotary(X).T"] }'


def test_rotated_rows_pass_through_the_distance_and_their_angles_are_said_once() -> None:
    lines = [tex(side) for _, side in chain(blocks(SHIFT, "s"), 1).links]

    same = r"(x_{i,2u - 1}x_{j,2u - 1} + x_{i,2u}x_{j,2u})"
    crossed = r"(x_{i,2u - 1}x_{j,2u} - x_{i,2u}x_{j,2u - 1})"
    apart = r"((s + i - 1)\theta_u - (s + j - 1)\theta_u)"
    total = r"\sum_{u=1}^{\frac{d}{2}} "
    assert lines[4:6] == [
        rf"{total}({same}\,\mathrm{{cos}}{angle} + {crossed}\,\mathrm{{sin}}{angle})"
        for angle in (apart, r"((i - j)\theta_u)")
    ]
    said = next(block for block in blocks(SHIFT, "s") if isinstance(block, Phrase) and block.key == "proof_angles")
    arguments = dict(said.arguments)

    assert arguments["widths"] == (Letter("d"),)
    assert [tex(angle) for angle in arguments["angles"]] == [  # type: ignore[union-attr, arg-type]
        r"\theta_u = 10000^{-2(u - 1)/d}",
        r"\alpha = (s + i - 1)\theta_u",
        r"\beta = (s + j - 1)\theta_u",
        r"\gamma = (i - 1)\theta_u",
        r"\delta = (j - 1)\theta_u",
    ]


def test_an_index_is_neither_a_symbol_nor_a_matrix_nor_a_size() -> None:
    """i is any real number here, so the row is p."""
    lines = [tex(side) for _, side in chain(blocks(SHIFT.replace("start=s", "start=i"), "i"), 1).links]
    assert any(r"\mathrm{cos}((p - j)\theta_u)" in line for line in lines)
    assert r"\mathrm{cos}((i + p - 1)\theta_u - (i + j - 1)\theta_u)" in lines[4]
    # k is a name here and t a size.
    scenario = loads(
        'title = "t"\n[general]\nk = ["m", "t"]\nl = ["n", "t"]\n'
        '[[section]]\ntitle = "s"\nsteps = [{ prove = ["dot(k, l)", "k @ l.T"] }]',
        path="lesson.toml",
    )
    found = build_document(scenario, derive(scenario).store, detail="steps").blocks[1:]
    side = chain(found, 1).links[0][1]

    assert isinstance(side, Sum)
    assert side.index == Letter("r")
    assert side.upper == Letter("t")


def test_where_a_denominator_may_be_zero_it_is_said() -> None:
    found = blocks('{ prove = ["cosine(X, Y)", "unit(X) @ unit(Y).T"] }')
    keys = [block.key for block in found if isinstance(block, Phrase)]
    assert "proof_nonzero" in keys


def test_the_variance_of_a_scaled_dot_product() -> None:
    found = blocks('{ variance = "dot(q, k) / sqrt(d)" }')
    mean, square = next(block for block in found if isinstance(block, Equation)).chains

    assert mean.links[-1][1] == Number("0")
    assert square.links[-1][1] == Number("1")
    assert mean.marks + square.marks == tuple(range(1, 13))
    assert tex(chain(found, 1)).endswith("= 1")
    assert r"\mathrm{E}[q_l]" in tex(mean)
    reasons = next(block for block in found if isinstance(block, Readings)).items
    told = sorted(mark for item in reasons for mark in dict(item.arguments)["marks"])  # type: ignore[union-attr]
    assert told == list(range(1, 13))


WITH_A_LAW = ("power_law", "distribute", "common_factor", "root", "upwards", "remainder", "circle")


@pytest.mark.parametrize("language", languages())
def test_every_rule_has_words(language: str) -> None:
    words = environment.phrases(language)
    laws = {"angle_sum": ["law", "law"], **dict.fromkeys(WITH_A_LAW, "law")}
    for rule in {*RULES, "commute", "exchange", "reorder", *EXPECTED}:
        arguments: dict[str, object] = {"marks": [1, 7], "backwards": 0}
        if rule in laws:
            arguments["law"] = laws[rule]
        forwards = words.call(f"rule_{rule}", arguments)

        assert forwards.startswith("(1), (7) ")
        assert words.call(f"rule_{rule}", {**arguments, "backwards": 1}) != forwards


@pytest.mark.long
def test_a_page_of_proofs() -> None:
    items = (
        '{ prove = ["cosine(X, Y)", "unit(X) @ unit(Y).T"] }',
        '{ prove = ["dot(q, k)", "k @ q.T"] }',
        '{ variance = "dot(q, k) / sqrt(d)" }',
        SHIFT,
        '{ prove = ["softmax(concat(S_1, S_2)) @ ones(a + b, 1)", "ones(m, 1)"] }',
        '{ prove = ["gelu_tanh(X) + tanh(X) + distance(n) @ X", "tanh(X) + distance(n).T @ X + gelu_tanh(X)"] }',
    )
    solution = derive(loads(f'symbols = ["s"]\n{HEAD}steps = [{", ".join(items)}]'))
    for format, language in (*(("markdown", language) for language in languages()), ("latex", "en")):
        text = solution.render(format, language=language)

        assert r"\overset{(2)}{=}" in text
        assert not re.search(r"rule_|lead_|proof_", text)


@pytest.mark.parametrize(("item", "said"), [
    (
        '{ prove = ["softmax(2 * S)", "softmax(S)"] }',
        "prove: softmax(2 * S) = softmax(S) is false: with m = 2, n = 3, entry [1,1] differs",
    ),
    ('{ variance = "s * dot(q, k)" }', "variance: the variance of 's * dot(q, k)': s is a symbol"),
    (
        '{ prove = ["rotary(X, start=s) @ rotary(X).T", "rotary(X) @ rotary(X).T"] }',
        "prove: rotary(X, start=s) @ rotary(X).T = rotary(X) @ rotary(X).T is false: with n = 2, d = 6, entry "
        "[1,1] differs",
    ),
])  # fmt: skip
def test_what_cannot_be_proved_is_told_with_its_place(item: str, said: str) -> None:
    with pytest.raises(ProofError) as caught:
        blocks(item, "s")
    assert str(caught.value).startswith(f"lesson.toml, line 19, section[1].steps[1].{said}")


def test_a_statement_without_letters() -> None:
    scenario = loads('title = "t"\n[given]\nX = [["1", "2"]]\n[[section]]\ntitle = "s"\nsteps = ["X"]')
    proof = prove("dot(X, X)", "X @ X.T", scenario.derivation)
    words = next(block for block in reversed(proof_blocks(proof, Names())) if isinstance(block, Phrase))
    assert proof.checked == ({},)
    for language in languages():
        text = environment.phrases(language).call(words.key, {name: [] for name, _ in words.arguments})
        assert "=" not in text
