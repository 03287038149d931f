"""The lines of a long proof stay aligned with one another, over page breaks too."""

from __future__ import annotations

import re

from symattn.api import derive
from symattn.scenario.load import loads


def test_a_proof_over_several_pages_is_one_alignment() -> None:
    """Wide lines are broken rather than put into boxes of their own, each centred by itself."""
    text = (
        'title = "t"\n[general]\nQ = ["n", "d"]\nK = ["n", "d"]\n[[section]]\ntitle = "a"\n'
        'steps = [{ prove = ["rotary(Q, start=1) @ rotary(K, start=1).T", "rotary(Q) @ rotary(K).T"] }]\n'
    )
    page = derive(loads(text)).render("latex", language="en")
    (proof,) = re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", page, re.DOTALL)
    assert [int(mark) for mark in re.findall(r"\\overset\{\((\d+)\)\}", proof)] == list(range(1, 13))
