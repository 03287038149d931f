"""The faults that tests are held to see can still be put in: each text to replace stands once in its file."""

from __future__ import annotations

import ast
from collections import Counter

from tests.mutations.run import ROOT, mutations

FAULTS = list(mutations())


def test_every_fault_has_its_place_and_its_tests() -> None:
    for fault in FAULTS:
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        changed = fault.of(text)
        assert changed != text, fault.what
        if fault.file.endswith(".py"):
            ast.parse(changed)
        for test in fault.tests:
            assert (ROOT / test.split("::")[0]).exists(), f"{fault.what}: there is no {test}"


def test_no_fault_is_listed_twice() -> None:
    twice = [
        place
        for place, times in Counter((fault.file, fault.find, fault.replace) for fault in FAULTS).items()
        if times > 1
    ]
    assert not twice
