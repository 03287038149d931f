"""What a name is, and what is only said of it: names with arrows, other examples, what holds for another line."""

from __future__ import annotations

from symattn.checking.check import check


def wrong(text: str, name: str = "page.md") -> list[tuple[int, str, str]]:
    """Line, figure as printed, figure as it should be."""
    return [(each.line, each.printed, each.expected) for each in check(text, name).findings]


def left(text: str, name: str = "page.md") -> list[str]:
    """Figures that nothing was said of."""
    return [each.text for each in check(text, name).unfollowed]


def test_an_arrow_may_be_inside_a_name() -> None:
    text = """
```text
C_fr→en = [[0.20, 0.50],
           [0.10, 0.90]]

C_en→fr = C_fr→enᵀ
        = [[0.20, 0.10],
           [0.50, 0.80]]

U = (C_en→fr + C_fr→en) / 2
```
"""
    assert wrong(text) == [(8, "0.80", "0.90")]
