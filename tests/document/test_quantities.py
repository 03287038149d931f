"""Lines of quantities, tables of claims and tensors as a reader meets them; products that are worked first."""

from __future__ import annotations

import pytest
from sympy import MatMul, MatrixSymbol

from symattn.api.worked import derive
from symattn.base.shapes import shape
from symattn.read.scenario.load import loads
from symattn.show.blocks import Block, Equation, Phrase, Readings, Table
from symattn.show.build import build_document
from symattn.show.entries.nodes import Letters, entry
from symattn.show.math import Letter, Parens, Seq, Sum
from symattn.show.notation.formulas import Names, formula
from symattn.write.tex_math import TexMath, tex
from tests.document.lessons import lesson

N_LOG_N = r"\mathrm{O}(n\,\mathrm{log}\,n)"

HEAD = """\
title = "t"
sizes = {m = 6, n = 2, d_k = 3, B = 1, h = 2, w = 2}
given.X = {value = [["1", "0"], ["0", "1.25"], ["1", "1"], ["0", "0"], ["0", "0"], ["0", "0"]], axes = ["m", "n"]}
given.W = {value = [["1", "0", "1"], ["0", "1", "1"]], axes = ["n", "d_k"]}
given.G = [["0", "-oo"], ["0", "0"]]
general.U = ["N", "D"]
[[section]]
title = "s"
"""


def blocks(*entries: str, head: str = "", rest: str = "") -> tuple[Block, ...]:
    text = HEAD.replace("[[section]]", f"{head}[[section]]")
    solution = derive(loads(text + "steps = [" + ", ".join(f"\n{entry}" for entry in entries) + "]\n" + rest))
    return build_document(solution.scenario, solution.store).blocks


def lines(*entries: str, head: str = "") -> list[str]:
    """Every displayed statement and every line at other sizes, as TeX."""
    found: list[str] = []
    for block in blocks(*entries, head=head):
        if isinstance(block, Equation):
            found += [tex(chain) for chain in block.chains]
        if isinstance(block, Readings):
            found += [" | ".join(told(value) for _, value in phrase.arguments) for phrase in block.items]
    return found


def told(value: object) -> str:
    return ", ".join(map(told, value)) if isinstance(value, tuple) else tex(value, TexMath(inline=True))  # type: ignore[arg-type]


@pytest.mark.parametrize(("written", "line"), [
    ("N_dot = m^2", r"N_{\mathrm{dot}} = m^2 = 6^2 = 36"),
    (
        "a = sqrt(6 / (n + d_k))",
        r"a = \sqrt{\frac{6}{n + d_k}} = \sqrt{\frac{6}{2 + 3}} = \sqrt{\frac{6}{5}} \approx 1.095445",
    ),
    ("s = sqrt(n + 2)", r"s = \sqrt{n + 2} = \sqrt{2 + 2} = 2"),
    ("q = n / d_k", r"q = \frac{n}{d_k} = \frac{2}{3} \approx 0.666667"),
    ("q = 1 / 8", r"q = \frac{1}{8} = 0.125"),
    ("q = 2 * m * n - 3", r"q = 2mn - 3 = 2\cdot 6\cdot 2 - 3 = 21"),
    ("q = n - m", r"q = n - m = 2 - 6 = -4"),
    ("q = m * (n - m)", r"q = m(n - m) = 6\cdot(2 - 6) = -24"),
    ("q = (n - m)^2 / 2", r"q = \frac{(n - m)^2}{2} = \frac{(2 - 6)^2}{2} = 8"),
    ("q = m / (n / d_k)", r"q = \frac{m}{\frac{n}{d_k}} = \frac{6}{\frac{2}{3}} = 9"),
    ("q = 12", "q = 12"),
    ("c = multiplications(X @ X.T)", r"c = m\cdot n\cdot m = m^2n = 6^2\cdot 2 = 72"),
    ("c = multiplications(X @ W)", r"c = mnd_k = 6\cdot 2\cdot 3 = 36"),
    (
        "c = multiplications(X.T @ X @ W)",
        r"c = n\cdot m\cdot n + n\cdot n\cdot d_k = n^2d_k + n^2m = 2^2\cdot 3 + 2^2\cdot 6 = 36",
    ),
    ("k = kept(causal_mask(m))", r"k = \frac{m(m + 1)}{2} = \frac{6\cdot(6 + 1)}{2} = 21"),
    ("k = kept(window_mask(m, w))", r"k = m(2w - 1) - w(w - 1) = 6\cdot(2\cdot 2 - 1) - 2\cdot(2 - 1) = 16"),
    ("k = kept(G)", r"k = \lvert G = 0\rvert = 3"),
    ("k = 10 - kept(G)", r"k = 10 - \lvert G = 0\rvert = 10 - 3 = 7"),
    ("L = multiplications(U @ U.T)", r"L = N\cdot D\cdot N = N^2D"),
    # over others it puts in their values, and a negative one is raised in parentheses
    ("P = m^2; r = P / d_k * 2", r"r = \frac{P\cdot 2}{d_k} = \frac{36\cdot 2}{3} = 24"),
    ("p = n - m; q = p^2", "q = p^2 = (-4)^2 = 16"),
    ("p = n - m; r = 2 * p", r"r = 2p = 2\cdot(-4) = -8"),
])  # fmt: skip
def test_a_quantity_goes_from_letters_to_figures_to_its_value(written: str, line: str) -> None:
    assert lines(*(f"{{quantity = '{each}'}}" for each in written.split("; ")))[-1] == line


def test_a_quantity_is_written_by_its_notation() -> None:
    shown = lines("{quantity = 'N_dot = m'}", "{quantity = 'r = N_dot / n'}", head="notation.N_dot = 'bold(N)'\n")
    assert shown == [r"\mathbf{N} = m = 6", r"r = \frac{\mathbf{N}}{n} = \frac{6}{2} = 3"]


def test_a_quantity_at_other_sizes_is_a_line_of_its_own() -> None:
    assert lines("{quantity = 'N_dot = m^2', at = [{m = 512}]}")[-1] == r"m = 512 | N_{\mathrm{dot}} = 512^2 = 262144"
    two = lines("{quantity = 'k = kept(window_mask(m, w))', at = [{m = 4096, w = 256}]}")[-1]
    assert two.startswith("m = 4096, w = 256 | k = 4096")
    assert two.endswith("= 2027776")
    found = lines("{quantity = 'P = m^2'}", "{quantity = 'r = P / d_k * 2', at = [{m = 1, d_k = 3}]}")
    assert found[-1] == r"m = 1, d_k = 3 | r = 1\cdot 2/3 = 2/3 \approx 0.666667"


def test_a_tensor_has_its_shape_in_letters_and_figures_and_every_matrix_in_its_place() -> None:
    found = blocks("'A_1 = X @ X.T'", "'A_2 = 2 * A_1'", "{tensor = 'A', of = ['A_1', 'A_2'], axes = ['B', 'h']}")
    (chains,) = (each.chains for each in found if isinstance(each, Equation) and len(each.chains) == 3)
    of_all = r"A\ (B\times h\times m\times m) = A\ (1\times 2\times 6\times 6)"
    assert list(map(tex, chains)) == [of_all, "A_{1,1} = A_1", "A_{1,2} = A_2"]


def test_the_last_leading_axis_runs_fastest_and_many_matrices_are_cut_short() -> None:
    def places(count: int, axes: str) -> list[str]:
        many = ", ".join(["'X'"] * count)
        found = blocks(f"{{tensor = 'A', of = [{many}], axes = {axes}}}")
        return [tex(chain.left) for block in found if isinstance(block, Equation) for chain in block.chains[1:]]

    assert places(4, "['h', 'w']") == ["A_{1,1}", "A_{1,2}", "A_{2,1}", "A_{2,2}"]
    assert places(36, "['m', 'n', 'd_k']") == ["A_{1,1,1}", "A_{1,1,2}", "A_{1,1,3}", r"\vdots", "A_{6,2,3}"]


def verdicts(*claims: str) -> list[tuple[str, str, str]]:
    """What is printed, what is derived and which verdict each claim gets."""
    rest = "".join(f"[[claim]]\nabout = 'a'\n{claim}\n" for claim in claims)
    steps = ("'S = X @ X.T'", "'A = softmax(S)'", "{quantity = 'P = m^2'}", "{quantity = 'r = sqrt(n)'}")
    table = next(block for block in blocks(*steps, rest=rest) if isinstance(block, Table))
    found = []
    for _, says, derived, verdict in table.rows:
        (sentence,) = verdict
        assert isinstance(sentence, Phrase)
        found.append((cell(says), cell(derived), sentence.key))
    return found


def cell(parts: tuple[object, ...]) -> str:
    (part,) = parts
    if isinstance(part, Phrase):
        return " | ".join(told(value) for _, value in part.arguments)
    return part if isinstance(part, str) else tex(part)  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "row"), [
    ("says = '1'\nvalue = 'S[1,1]'", ("1", "S_{1,1} = 1", "claim_reproduced")),
    ("says = '1.5625'\nvalue = 'S[2,2]'", ("1.5625", "S_{2,2} = 1.5625", "claim_reproduced")),
    ("says = '1.56'\nvalue = 'S[2,2]'", ("1.56", r"S_{2,2} \approx 1.56", "claim_reproduced")),
    ("says = '1.57'\nvalue = 'S[2,2]'", ("1.57", "S_{2,2} = 1.5625", "claim_not_so")),
    ("says = '1.563'\nvalue = 'S[2,2]'", ("1.563", r"S_{2,2} \approx 1.563", "claim_reproduced")),
    ("says = '1.562'\nvalue = 'S[2,2]'", ("1.562", "S_{2,2} = 1.5625", "claim_not_so")),
    ("says = '36.0'\nvalue = 'P'", ("36.0", "P = 36.0", "claim_reproduced")),
    ("says = '262,144'\nvalue = 'P'\nat = {m = 512}", ("262,144", "m = 512 | P = 262144", "claim_reproduced")),
    ("says = '262,145'\nvalue = 'P'\nat = {m = 512}", ("262,145", "m = 512 | P = 262144", "claim_not_so")),
    ("says = '1.4142'\nvalue = 'r'", ("1.4142", r"r \approx 1.4142", "claim_reproduced")),
    ("says = '1.4143'\nvalue = 'r'", ("1.4143", r"r \approx 1.414214", "claim_not_so")),
    (
        "says = 'O(n^2)'\norder_of = 'multiplications(X @ X.T)'\nin = 'm'",
        (r"\mathrm{O}(n^2)", r"m^2n = \mathrm{O}(m^2)", "claim_right_order"),
    ),
    ("says = 'O(1)'\norder_of = 'P'\nin = 'm'", (r"\mathrm{O}(1)", r"m^2 = \mathrm{O}(m^2)", "claim_not_so")),
    ("says = 'O(n log n)'\norder_of = 'm'\nin = 'm'", (N_LOG_N, r"m = \mathrm{O}(m)", "claim_not_so")),
    ("says = 'O(1)'\norder_of = 'P'\nin = 'n'", (r"\mathrm{O}(1)", r"m^2 = \mathrm{O}(1)", "claim_right_order")),
])  # fmt: skip
def test_the_verdict_on_a_claim(claim: str, row: tuple[str, str, str]) -> None:
    assert verdicts(claim) == [row]


def test_claims_are_counted_and_one_that_nothing_is_known_about_stands_in_a_list() -> None:
    rest = "[[claim]]\nabout = 'a'\nsays = '1'\nvalue = 'X[1,1]'\n[[claim]]\nabout = 'b'\nsays = '快一倍'\n"
    found = blocks("'X'", rest=rest + "said = {en = 'twice as fast', zh-Hant = '快一倍'}\n")
    (intro,) = (block for block in found if isinstance(block, Phrase) and block.key == "claims_intro")
    (table,) = (block for block in found if isinstance(block, Table))
    (listed,) = (block for block in found if isinstance(block, Readings) and block.items[0].key == "claim_open")
    assert len(table.rows) == 1
    assert dict(intro.arguments) == {"count": 2, "right": 1, "wrong": 0, "open": 1}
    assert dict(listed.items[0].arguments) == {"about": ("b",), "says": ("twice as fast",), "reason": ()}


def test_a_claim_about_rounded_givens_is_held_against_the_interval() -> None:
    claims = "".join(f"[[claim]]\nabout = 'a'\nsays = '{says}'\nvalue = 'T[1,1]'\n" for says in ("1.04", "1.2"))
    solution = derive(loads(lesson("T = 2 * R", head='given.R = {value = [["0.5", "0.25"]], rounded = true}') + claims))
    table = next(
        block for block in build_document(solution.scenario, solution.store).blocks if isinstance(block, Table)
    )
    keys = [part.key for row in table.rows for part in row[3] if isinstance(part, Phrase)]
    assert keys == ["claim_agrees", "claim_not_so"]


# -- products that are worked first --------------------------------------------------------------------------------

X, Y, Z = (MatrixSymbol(name, 2, 2) for name in "XYZ")
YZ = MatMul(Y, Z, evaluate=False)


@pytest.mark.parametrize(("node", "written"), [
    (MatMul(X, YZ, evaluate=False), "X(YZ)"),
    (MatMul(YZ, X, evaluate=False), "(YZ)X"),
    (MatMul(Y, Z, X, evaluate=False), "YZX"),
    (MatMul(X, YZ, X, evaluate=False), "X(YZ)X"),
    (MatMul(2, YZ, evaluate=False), "2YZ"),
    (MatMul(-1, YZ, evaluate=False), "-YZ"),
    (MatMul(X, MatMul(X, YZ, evaluate=False), evaluate=False), "X(X(YZ))"),
])  # fmt: skip
def test_a_product_that_is_worked_first_stands_in_parentheses(node: MatMul, written: str) -> None:
    assert tex(formula(node, Names())) == written


def test_a_sum_inside_a_product_ends_where_its_parentheses_end() -> None:
    letters = Letters.choose(Names(), ["X", "Y", "Z"], {name: shape(2, 2) for name in "XYZ"})
    inner = entry(MatMul(X, YZ, X, evaluate=False), letters, Letter("i"), Letter("j"), ())
    assert isinstance(inner, Sum)
    assert isinstance(inner.body, Sum)
    assert isinstance(inner.body.body, Seq)
    assert isinstance(inner.body.body.parts[1], Parens)
