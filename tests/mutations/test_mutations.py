"""The faults that tests are held to see can still be put in: each has one place in the package, and tests."""

from __future__ import annotations

import pytest

from tests.mutations.run import ROOT, Fault, faults


@pytest.mark.long
@pytest.mark.sampled(20)
@pytest.mark.parametrize("fault", [*faults()], ids=lambda fault: fault.where)
def test_a_fault_has_its_place_and_its_tests(fault: Fault) -> None:
    assert fault.changed_text()
    for test in fault.tests:
        assert (ROOT / test.split("::")[0]).exists(), f"there is no {test}"


def test_no_fault_is_listed_twice() -> None:
    every = [(fault.where, fault.change, fault.nth) for fault in faults()]

    assert len({*every}) == len(every) >= 100
