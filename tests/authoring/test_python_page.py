"""docs/python.md is what the program does, and it tells of every method and option."""

from __future__ import annotations

import doctest
import re
from inspect import signature
from pathlib import Path

from symattn import Derivation

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def test_every_example_of_the_page_runs_and_gives_what_it_says() -> None:
    examples = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL))
    parsed = doctest.DocTestParser().get_doctest(examples, {}, "python.md", "docs/python.md", 0)
    report: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(parsed, out=report.append)

    assert outcome.attempted > 50
    assert not outcome.failed, "".join(report)


def test_every_method_and_option_is_told_of() -> None:
    methods = [name for name in dir(Derivation) if not name.startswith("_")]
    for name in methods:
        assert f"d.{name}" in PAGE or f"`{name}" in PAGE, name
    for method in (Derivation.__init__, Derivation.given, Derivation.step):
        for option in list(signature(method).parameters)[1:]:
            if option not in ("name", "value", "formula"):
                assert re.search(rf"\b{option}\b", PAGE), option
