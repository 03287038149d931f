"""Sheets, keys, data and answers carry a checksum of the numbers: what belongs to other numbers is never marked."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from symattn import __version__
from symattn.base.errors import AnswersError, ExercisesError
from symattn.course import exercises_from, exported, generate
from symattn.course.checksum import Stamp, checksum, stamp_from, stamp_of
from symattn.course.marking import Answers, mark
from tests.commands import run

TOPIC = ("--topic", "softmax-row", "--difficulty", "2", "--seed", "7")
BATCH = generate("softmax-row", difficulty=2, seed=7, count=2)
FIRST, SECOND = (str(stamp_of(one)) for one in BATCH)


pytestmark = pytest.mark.usefixtures("in_a_folder")

# -- what it is ----------------------------------------------------------------------------------------------------


def test_a_checksum_is_the_beginning_of_a_hash_of_the_numbers() -> None:
    """Worked out by a second road: no shifting of bits."""
    (one,) = generate("softmax-row", seed=7)
    table = tomllib.loads(one.source)
    steps = [section["steps"] for section in table.pop("section")]
    told = {key: value for key, value in table.items() if key not in ("title", "intro", "language")}
    (part,) = one.parts
    parts = [[part.name, part.kind, part.decimals, part.key, part.asked]]
    whole = {"form": ["plain", 0, [], []], "parts": parts, "planted": None, "steps": steps, "table": told}
    digest = sha256(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()).digest()
    bits = "".join(f"{byte:08b}" for byte in digest)
    letters = "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[int(bits[5 * i : 5 * i + 5], 2)] for i in range(8))
    assert checksum(one) == f"{letters[:4]}-{letters[4:]}"


def test_the_words_change_nothing_and_every_number_something() -> None:
    (one,) = generate("softmax-row", seed=7)
    (chinese,) = generate("softmax-row", seed=7, language="zh-Hant")
    assert checksum(chinese) == checksum(one)
    (part,) = one.parts
    others = [
        replace(one, source=re.sub(r'value = \[\["[^"]*"', 'value = [["77"', one.source, count=1)),
        replace(one, source=one.source.replace("decimals = ", "decimals = 1")),
        replace(one, source=one.source.replace("softmax(", "relu(")),
        replace(one, parts=(replace(part, key=(("0.5",) * 5,)),)),
        replace(one, parts=(replace(part, asked=part.asked[1:]),)),
        replace(one, parts=(replace(part, decimals=7),)),
        replace(one, shown=("s",)),
    ]
    assert all(other != one for other in others)
    assert len({checksum(other) for other in (one, *others)}) == len(others) + 1


@pytest.mark.parametrize("text", ["K7QM-2XP0", " k7qm2xpo ", "K7QM 2XP0", "k7qm-2xp0"])
def test_what_is_copied_from_paper_is_understood(text: str) -> None:
    assert stamp_from(text) == Stamp("K7QM-2XP0")
    assert stamp_from(f"{text.strip()}/0.1.0") == Stamp("K7QM-2XP0", "0.1.0")


@pytest.mark.parametrize(
    "text", ["K7QM", "K7QM-2XPAA", "K7QM-2XP!", "K7QM-2XPU", "K7QM-2XPA/", "K7QM-2XPA/0.1 x", "/1"]
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(AnswersError, match="expected it as it stands on the sheet, such as K7QM-2XPA"):
        stamp_from(text)


# -- where it stands -----------------------------------------------------------------------------------------------


def test_data_carry_it_and_what_was_changed_since_is_refused() -> None:
    text = exported(BATCH, "json")
    assert [one["checksum"] for one in json.loads(text)["exercises"]] == [checksum(one) for one in BATCH]
    assert exercises_from(text) == BATCH.exercises
    changed = text.replace(checksum(BATCH[1]), "K7QM-2XPA")
    with pytest.raises(ExercisesError) as caught:
        exercises_from(changed)
    assert f"exercises[2]: the checksum is 'K7QM-2XPA (symattn {__version__})'" in str(caught.value)
    assert checksum(BATCH[1]) in str(caught.value)


# -- marking -------------------------------------------------------------------------------------------------------


def write(stamps: Mapping[int, str], name: str = "class.csv") -> None:
    columns = ",".join(f'"a[1,{number}]"' for number in range(1, 6))
    rows = [
        f"Ada,{version},{stamp},{','.join(BATCH[version - 1].parts[0].key[0])}" for version, stamp in stamps.items()
    ]
    Path(name).write_text("\n".join([f"student,version,checksum,{columns}", *rows]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("other", [("--seed", "8"), ("--topic", "cross-entropy")])
def test_another_seed_difficulty_or_topic_is_refused_with_both(other: tuple[str, str]) -> None:
    write({1: FIRST, 2: SECOND})
    told = dict(zip(TOPIC[::2], TOPIC[1::2], strict=True)) | dict([other])
    result = run("mark", "class.csv", *(word for pair in told.items() for word in pair), "-o", "marks.csv")
    own = generate(told["--topic"], difficulty=int(told["--difficulty"]), seed=int(told["--seed"]))[0]
    assert result.exit_code == 2
    assert f"class.csv, line 2 (Ada): the checksum of the sheet is {checksum(BATCH[0])} (symattn" in result.output
    assert f"that of the exercise it is marked by {checksum(own)}" in result.output
    assert "line 3 (Ada)" in result.output
    assert not Path("marks.csv").exists()


def test_the_version_of_another_sheet_is_told() -> None:
    write({1: SECOND})
    result = run("mark", "class.csv", *TOPIC, "--count", "2")
    assert result.exit_code == 2
    write({1: SECOND, 2: SECOND})
    assert "it is that of version 2" in run("mark", "class.csv", *TOPIC).output


def test_rows_without_one_are_marked_with_a_remark() -> None:
    write({1: "", 2: SECOND})
    result = run("mark", "class.csv", *TOPIC, "-f", "json")
    assert result.exit_code == 0
    assert "symattn: class.csv, line 2 (Ada): no checksum is given, so that nobody knows whether" in result.stderr
    assert [one["checked"] for one in json.loads(result.stdout)["students"]] == [False, True]


def test_another_version_of_symattn_with_the_same_numbers_is_remarked_and_marked() -> None:
    write({1: f"{checksum(BATCH[0])}/0.0.9"})
    result = run("mark", "class.csv", *TOPIC, "-f", "json")
    assert json.loads(result.stdout)["points"] == 5
    assert f"the sheet was made by symattn 0.0.9, and this is {__version__}: its numbers are the same" in result.stderr


def test_marking_in_python_refuses_other_numbers_too() -> None:
    key = {"a": BATCH[0].parts[0].key}
    right = replace(Answers.of(key), stamp=stamp_of(BATCH[0]))
    assert mark(BATCH[0], right).points == 5
    assert mark(BATCH[0], right).is_checked
    assert not mark(BATCH[0], key).is_checked
    with pytest.raises(AnswersError, match=f"the checksum of the sheet is {checksum(BATCH[0])}"):
        mark(BATCH[1], right)
