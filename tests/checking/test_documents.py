"""What is found wrong in small documents in the manner of people, and that nothing else of them is."""

from __future__ import annotations

import numpy as np
import pytest

from symattn.checking.check import check
from tests.checking.found import DOCUMENTS, documents, told


@pytest.mark.parametrize("title", DOCUMENTS)
def test_what_is_wrong_is_found_and_all_else_is_followed(title: str) -> None:
    document = DOCUMENTS[title]
    found = check(document.text, document.name)
    assert told(found) == document.wrong
    assert bool(found.unfollowed) == document.has_left, found.unfollowed
    assert found.coverage.verified == document.verified


def test_no_two_documents_have_one_title() -> None:
    assert len([*documents()]) == len(DOCUMENTS)
    assert not [title for title, document in DOCUMENTS.items() if set("«»") & set(document.text)]


def test_entries_that_are_listed_are_not_given() -> None:
    found = DOCUMENTS["entries that are listed are those of their matrix"].changed()
    assert [each.printed for each in found.figures if each.status == "given"] == ["1", "3", "2", "-1"]


def test_a_mask_and_what_it_hides_are_right() -> None:
    found = DOCUMENTS["a mask is given and takes in the score that it hides"].changed()
    right = {each.printed for each in found.figures if each.status == "right"}
    assert right == {"0.31", "-10^9", "-∞", "0.15", "0.44"}


def test_masked_weights_that_do_not_follow_are_not_called_right() -> None:
    weights = DOCUMENTS["masked weights follow from those without a mask"]
    found = weights.changed(("0.4460, 0.5540", "0.4640, 0.5360"))
    assert [each.status for each in found.figures if each.printed == "0.4640"] != ["right"]


def test_a_figure_of_the_known_example_is_told_of_which_words_it_is() -> None:
    (found,) = DOCUMENTS["the product of a word with itself is not that of two words"].changed().findings
    assert "not printed here" in found.because
    assert "1.495 is that of journey and journey" in found.because


def test_what_is_said_to_hold_in_theory_is_remarked() -> None:
    (remark,) = DOCUMENTS["what is said to hold in theory is remarked"].changed().remarks
    assert remark.said.startswith("O(1) is said to hold in theory")


# -- lower precision: figures of float16 and float32 are no mistakes ---------------------------------------------------

SCORES = np.array([[0.1, 0.7, 1.3], [0.2, 0.4, 2.0]])
Kind = type[np.floating]


def softmax(scores: np.ndarray, kind: Kind) -> np.ndarray:
    exps = np.exp(scores)
    return (exps / exps.sum(axis=1, keepdims=True)).astype(kind)


def listed(rows: np.ndarray, digits: int) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{float(each):.{digits}f}" for each in row) + "]" for row in rows) + "]"


def weights(kind: Kind, digits: int) -> str:
    def grid(rows: np.ndarray, digits: int) -> str:
        cells = listed(rows, digits)[2:-2].replace("], [", r" \\ ").replace(",", " &")
        return rf"\begin{{bmatrix}} {cells} \end{{bmatrix}}"

    return f"$$S = {grid(SCORES, 1)}$$\n\n$$A = \\text{{softmax}}(S) = {grid(softmax(SCORES, kind), digits)}$$\n"


@pytest.mark.parametrize(("kind", "digits"), [(np.float16, 5), (np.float32, 9)])
def test_weights_in_lower_precision_are_told_and_raise_no_alarm(kind: Kind, digits: int) -> None:
    found = check(weights(kind, digits))
    assert found.is_right
    assert np.dtype(kind).name in found.remarks[0].said


def test_a_wrong_figure_among_those_of_float16_is_wrong() -> None:
    right = weights(np.float16, 5)
    assert "0.54053" in right
    assert "0.56053" in [each.printed for each in check(right.replace("0.54053", "0.56053")).findings]


@pytest.mark.parametrize(("kind", "digits"), [(np.float16, 4), (np.float16, 6), (np.float32, 8)])
def test_a_chain_in_lower_precision_is_told_and_raises_no_alarm(kind: Kind, digits: int) -> None:
    """Each step works with numbers that were rounded on the way."""
    q, k, v = ((np.arange(12).reshape(3, 4) * step % 17 / kind(5) - kind(1.7)).astype(kind) for step in (5, 7, 11))
    s = (q @ k.T / kind(2)).astype(kind)
    a = softmax(s, kind)
    given = "".join(f"{name} = torch.tensor({listed(each, 1)})\n" for name, each in (("Q", q), ("K", k), ("V", v)))
    program = f"{given}S = Q @ K.T / 2\nA = torch.softmax(S, dim=-1)\nO = A @ V\nprint(S, A, O)\n"
    shown = "\n".join(f"tensor({listed(each, digits)})" for each in (s, a, a @ v))
    page = f"```python\nimport torch\n{program}```\n\n```\n{shown}\n```\n"
    found = check(page)
    assert found.findings == ()
    assert all(np.dtype(kind).name in each.said for each in found.remarks)
    last = listed(a, digits).rpartition(".")[2].rstrip("]")
    assert not check(page.replace(last, "9" + last[1:])).is_right


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.md", "$1 + 1 = 3$ <!-- symattn: ignore -->"),
        ("a.md", "The mean of 2 and 4 is 5. # symattn: ignore"),
        ("a.html", "<p>1.5 + 1 = 3.5</p> <!-- symattn:ignore -->"),
        ("a.tex", "$1 + 1 = 3$ % symattn: ignore"),
        ("a.md", "```\na = 1 + 1 = 3  # symattn: ignore\n```"),
    ],
)
def test_a_line_may_be_accepted(name: str, line: str) -> None:
    wrong = check(f"{line}\n\n$2 + 2 = 5$\n", name)
    assert [each.printed for each in wrong.findings] == ["5"]
    assert wrong.coverage.wrong == 1
    assert len(check(f"{line.replace('ignore', 'look')}\n", name).findings) == 1


# -- excuses: they take several distinct numbers -----------------------------------------------------------------------


def test_numbers_that_stand_often_are_no_more_evidence_of_lower_precision() -> None:
    """Nine times one wrong number is one."""
    ones = r" \\ ".join(["1 & 1 & 1"] * 3)
    thirds = r" \\ ".join(["0.33325 & 0.33325 & 0.33325"] * 3)
    text = rf"$$S = \begin{{bmatrix}} {ones} \end{{bmatrix}}$$"
    text += rf" $$A = \text{{softmax}}(S) = \begin{{bmatrix}} {thirds} \end{{bmatrix}}$$"
    assert len(check(text).findings) == 9


def test_an_unusual_epsilon_does_not_explain_a_last_digit() -> None:
    """Two figures that were cut off are no evidence of ε = 1/1000."""
    text = r"$$x = [1, 2, 3]$$ $$y = \text{LayerNorm}(x) = [-1.225, 0.000, 1.225]$$"
    assert check(text).findings == ()
    found = check(text.replace("1.225", "1.224")).findings
    assert [each.expected for each in found] == ["-1.225", "1.225"]
