"""A document read, followed, and held against its own figures.

>>> found = check("$A = [[1, 2]]$, $B = [[3], [4]]$, $A B = [[12]]$")
>>> found.findings[0].expected
'11'
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from symattn.base import limits
from symattn.base.budget import Budget, working
from symattn.base.errors import BudgetError
from symattn.checking.following.claims import hold_claims
from symattn.checking.following.examples import hold_against_examples
from symattn.checking.following.follow import Follower
from symattn.checking.following.hints import rows_of
from symattn.checking.following.judging import without_unit
from symattn.checking.following.ledger import SPENT, Entered
from symattn.checking.following.rows import BITS
from symattn.checking.model import (
    CheckedDocument,
    DocumentCoverage,
    DocumentFinding,
    DocumentRemark,
    FigureStatus,
    FigureVerdict,
    Unfollowed,
)
from symattn.checking.reading import read
from symattn.checking.source import Readable
from symattn.checking.sources import read_document
from symattn.compute.values.balls import at_precision


def check(text: str, name: str = "document.md") -> CheckedDocument:
    """What is right in a document, and what is not.

    ``name`` tells the format by its ending. Nothing in the text is executed.
    Raises :class:`~symattn.base.errors.SymattnError` for what cannot be read at all.
    """
    with working(Budget(limits.DOCUMENT_STEPS)):
        return checked(read_document(text, name))


def checked(document: Readable) -> CheckedDocument:
    """The same of a document that was read into pieces.

    Raises :class:`~symattn.base.errors.SymattnError` for what cannot be read at all.
    """
    follower = Follower(chinese=rows_of(document.text[:_ENOUGH]), text=document.text)
    with at_precision(BITS), working(Budget(limits.DOCUMENT_STEPS)):
        reading = read(document)
        follower.follow(reading)
        with suppress(BudgetError):
            hold_against_examples(reading, follower.ledger)
            hold_claims(document.text, follower.ledger)
    return _result(document, follower)


def _result(document: Readable, follower: Follower) -> CheckedDocument:
    accepted = {document.position(found.start())[0] for found in _ACCEPTED.finditer(document.text)}
    entered = [
        replace(one, standing="given") if document.position(one.figure.start)[0] in accepted else one
        for one in sorted(follower.ledger.entered.values(), key=lambda one: one.figure.start)
    ]
    findings, unfollowed = list[DocumentFinding](), list[Unfollowed]()
    for one in entered:
        line, column = document.position(one.figure.start)
        if one.standing == "wrong" and one.kind is not None:
            printed, expected = without_unit(one.figure.text), without_unit(one.expected)
            said = (one.because, one.cause, one.figure.start, one.figure.end, one.of, one.worked, one.explained)
            findings.append(DocumentFinding(line, column, printed, expected, one.kind, *said, one.relation))
        elif one.standing == "open":
            unfollowed.append(Unfollowed(line, column, one.figure.text, one.because, 1))
    figures = tuple(map(_verdict, entered))
    rest = 0 if document.end is None else len(_FIGURE.findall(document.text, document.end))
    if document.end is not None:
        unfollowed.append(Unfollowed(*document.position(document.end), "…", SPENT, rest))
    remarks = tuple(
        DocumentRemark(*document.position(start), said)
        for said, start in sorted(follower.ledger.remarks.items(), key=lambda one: one[1])
    )
    is_whole = document.end is None and not any(one.standing == "open" and one.because == SPENT for one in entered)
    counts = [one.standing for one in entered]
    wrong, good, open_ = counts.count("wrong"), counts.count("right"), counts.count("open") + rest
    coverage = DocumentCoverage(wrong + good + open_, wrong + good, wrong, open_, counts.count("given"))
    return CheckedDocument(
        document.name, document.text, tuple(findings), coverage, tuple(unfollowed), figures, remarks, is_whole
    )


_ACCEPTED = re.compile(
    r"""(?:\#|%|<!--)[ \t]*symattn:[ \t]*ignore[ \t]*(?:-->)?[ \t]*  # as Python, LaTeX and HTML write a comment
    (?:\\n)?"?,?[ \t]*$""",  # a line of a notebook ends inside a string
    re.MULTILINE | re.VERBOSE,
)
"""At the end of a line whose figures are accepted as they are."""
_FIGURE = re.compile(r"\.\d+")
_ENOUGH = 100_000
"""Characters from which it is told in which script a document is written."""


def _verdict(one: Entered) -> FigureVerdict:
    figure = one.figure
    status: FigureStatus = "not_verified" if one.standing == "open" else one.standing
    if one.standing == "wrong" and one.kind is not None:
        status = one.kind
    said = one.because if one.standing == "open" else one.formula
    value = one.value or one.expected
    return FigureVerdict(figure.start, figure.end, figure.text, status, one.of, said, value, one.worked)
