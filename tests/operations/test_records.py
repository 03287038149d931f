"""Operations that are a record and nothing else: words, examples, and the same where somebody writes them again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn.operations import NODES, Repeated
from symattn.operations.equations.parts import form
from symattn.operations.equations.read import read_operation, signature
from symattn.operations.node import Node, record_of_kind
from symattn.operations.records import OURS, RECORDS, record_named
from symattn.operations.stages import ours_of
from symattn.read.formula import FUNCTIONS
from symattn.read.scenario.operations import read_operations, table_of
from symattn.read.scenario.schema import OperationTable

OF_SCHOOL = "abs power sqrt sin cos tan maximum minimum row_sum row_mean row_min diag".split()
"""What has no source because everybody has it."""


def test_every_record_has_examples_a_source_and_words_in_three_languages() -> None:
    assert set(RECORDS) <= set(FUNCTIONS)
    for name, record in RECORDS.items():
        assert [language for language, text in record.page if text.strip()] == ["en", "zh-Hant", "zh-Hans"]
        assert record.called
        assert record.source.endswith(".") or name in OF_SCHOOL


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_operation_of_ours_is_the_same_where_somebody_writes_it_again(name: str) -> None:
    """From what the catalogue shows of it, and from the table that a file would have."""
    record = record_named(name)
    table = OperationTable.model_validate(table_of(record) | {"page": None})
    again = read_operations({"theirs": table}, {})["theirs"]
    lines = "\n".join([signature(record), *(each.text for each in record.equations)])

    assert again.name == "theirs"
    assert form(again) == form(record) == form(read_operation(lines))
    assert read_operations({name: table}, {})[name].parameters == record.parameters


def test_one_of_ours_is_found_by_what_its_definition_calls() -> None:
    """Before it is read: so its text calls what its equations, written again, call."""
    for kind in NODES:
        if issubclass(kind, Node) and kind.definition and not issubclass(kind, Repeated):
            assert ours_of(replace(record_of_kind(kind), name="theirs")) is kind
