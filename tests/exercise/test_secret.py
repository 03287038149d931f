"""A sheet that was made with a secret gives away neither seed nor key; who has the secret makes and marks it again."""

from __future__ import annotations

import hmac
import json
import os
import pickle
import re
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from click.testing import Result

from symattn.base.errors import ScenarioError, SecretError
from symattn.course import Secret, exercises_from, exported, generate, new_secret, read_secret, sheets
from symattn.course import secret as secret_module
from symattn.course.checksum import LETTERS, checksum, numbers, stamp_of
from symattn.course.generate import Request, variant
from symattn.write.formats import render
from tests.commands import run

CONTENT = bytes(range(32))
SECRET, OTHER = Secret(CONTENT), Secret(bytes(32))
TOLD = ("--difficulty", "2", "--seed", "7")
WORDS = ("seed", "difficulty", "practice", "亂數種子", "難度", "練習用", "随机种子", "难度", "练习用")


def made(topic: str = "softmax-row", secret: Secret | None = SECRET, **more: object):  # type: ignore[no-untyped-def]
    return generate(topic, seed=7, secret=secret, **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _files(in_a_folder: None) -> None:
    Path("exam.secret").write_text(f"{secret_module.HEADER}\n{CONTENT.hex()}\n", encoding="ascii")


# -- the draw ------------------------------------------------------------------------------------------------------


def test_the_same_secret_and_seed_give_the_same_sheets_and_others_give_others() -> None:
    assert made(count=3).exercises == made(count=3).exercises
    others = [made(secret=None), made(secret=OTHER), generate("softmax-row", seed=8, secret=SECRET), made()]
    assert len({one.source for (one,) in others}) == len(others)


def test_what_is_drawn_is_seeded_by_hmac_of_the_text_that_seeds_it_without_a_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The primitive once more, from its definition: H(K ⊕ opad, H(K ⊕ ipad, text))."""
    seeds: list[object] = []

    class Watched(Random):
        def __init__(self, seed: object) -> None:
            seeds.append(seed)
            super().__init__(seed)  # type: ignore[arg-type]

    monkeypatch.setattr(sys.modules[generate.__module__], "Random", Watched)
    found = variant(Request("softmax-row", 2, 7, secret=SECRET), 3)
    block = CONTENT.ljust(64, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in block) for pad in (0x36, 0x5C))
    texts = [f"softmax-row/2/7/3/{number}".encode() for number in range(found.draw + 1)]
    assert seeds == [sha256(outer + sha256(inner + text).digest()).digest() for text in texts]


def test_the_code_is_an_hmac_of_what_was_asked_for_and_of_the_numbers() -> None:
    (one,) = made()
    digest = hmac.digest(CONTENT, f"code/softmax-row/2/7/1/{numbers(one)}".encode(), "sha256")
    bits = "".join(f"{byte:08b}" for byte in digest)
    letters = "".join(LETTERS[int(bits[5 * i : 5 * i + 5], 2)] for i in range(12))
    assert one.code.replace("-", "") == letters
    assert re.fullmatch(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", one.code)
    assert stamp_of(one).code == one.code


def test_a_scenario_that_keeps_its_numbers_has_no_secret() -> None:
    with pytest.raises(ScenarioError, match="a secret goes into numbers that are drawn, and weather keeps its own"):
        generate(scenario="weather", ask=["A"], secret=SECRET)
    (fresh,) = generate(scenario="weather", ask=["A"], fresh=True, secret=SECRET)
    assert fresh.code


# -- what a sheet gives away ---------------------------------------------------------------------------------------


def leaks(text: str) -> list[str]:
    return [word for word in (CONTENT.hex(), repr(CONTENT), "softmax-row//", "softmax-row/2/7") if word in text]


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_a_sheet_shows_its_code_and_nothing_that_leads_to_the_key(language: str, form: str) -> None:
    batch = made(count=2)
    for students in (None, {"Ada": 1, "Ben": 2}):
        for which in ("question", "answer"):
            page = render(sheets(batch, which, language, students), form)  # type: ignore[arg-type]
            assert not [word for word in WORDS if word in page.lower()]
            assert not leaks(page)
            assert all(one.code in page and checksum(one) not in page for one in batch)


def test_nobody_sees_the_secret_or_the_seed_in_an_exercise() -> None:
    batch = made()
    told = [repr(SECRET), repr(batch), repr(Request("softmax-row", 2, 7, secret=SECRET)), exported(batch, "json")]
    for data in (pickle.dumps(batch), pickle.dumps(batch[0])):
        assert CONTENT not in data
        told.append(data.decode("latin-1"))
    assert not [text for text in told if leaks(text)]
    assert "seed=0" in repr(batch[0])


def test_data_say_for_whom_they_are_and_are_read_again() -> None:
    for form in ("json", "jsonl"):
        text = exported(made(count=2), form)
        assert text.count("for the teacher only") == 2
        assert exercises_from(text) == made(count=2).exercises
    assert "for the teacher only" not in exported(made(secret=None), "json")


# -- the file ------------------------------------------------------------------------------------------------------


def test_a_new_secret_is_for_its_owner_only_and_never_written_over() -> None:
    result = run("exercise", "--new-secret", "new.secret")
    path = Path("new.secret")
    assert result.exit_code == 0
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text(encoding="ascii")
    assert re.fullmatch(r"symattn-secret/1: [^\n]+\n[0-9a-f]{64}\n", text)
    assert text.splitlines()[1] not in result.output
    again = run("exercise", "--new-secret", "new.secret")
    assert (again.exit_code, path.read_text(encoding="ascii")) == (2, text)
    assert "new.secret: is there already: a secret is never written over; give another name" in again.output
    assert read_secret(path) != new_secret(Path("other.secret"))


HEX = CONTENT.hex()


@pytest.mark.parametrize("data", [
    b"",
    HEX.encode(),
    f"symattn-secret/2\n{HEX}\n".encode(),
    f"symattn-secret/10\n{HEX}\n".encode(),
    f"symattn-secret/1\n{HEX[:-1]}\n".encode(),
    f"symattn-secret/1\n{HEX}00\n".encode(),
    f"symattn-secret/1\n{HEX}\n{HEX}\n".encode(),
    f"symattn-secret/1\n{HEX[:-1]}g\n".encode(),
    f"symattn-secret/1\n{HEX}\n".encode("utf-16"),
    f"symattn-secret/1\n{HEX}\n".encode() + b"\n" * 2_000,
    os.urandom(300),
])  # fmt: skip
def test_what_is_no_secret_is_refused_and_nothing_of_it_is_said(data: bytes) -> None:
    Path("bad").write_bytes(data)
    result = run("exercise", "softmax-row", "--secret", "bad")
    assert result.exit_code == 2
    assert "bad: is no secret: expected a file that symattn exercise --new-secret wrote" in result.output
    assert HEX[:16] not in result.output
    with pytest.raises(SecretError) as caught:
        read_secret(Path("bad"))
    assert HEX[:16] not in str(caught.value)


def test_a_missing_file_is_named_and_a_text_is_taken_for_no_path() -> None:
    with pytest.raises(SecretError, match=r"gone\.secret: cannot be read: No such file"):
        read_secret(Path("gone.secret"))
    for given in (HEX, CONTENT, 7):
        with pytest.raises(SecretError) as caught:
            made(secret=given)  # type: ignore[arg-type]
        assert str(caught.value) == "secret is neither a Secret nor the Path of a file: expected one of the two"
    for content in (b"short", HEX, "a" * 32):
        with pytest.raises(SecretError, match="expected 32 bytes"):
            Secret(content)  # type: ignore[arg-type]


# -- commands ------------------------------------------------------------------------------------------------------


def sheet(*more: str) -> Result:
    return run("exercise", "softmax-row", "-n", "2", *TOLD, "--secret", "exam.secret", *more)


def fill(path: Path, fill_in: Callable[[str], str]) -> None:
    path.write_text(fill_in(path.read_text(encoding="utf-8-sig")), encoding="utf-8")


def test_a_table_is_marked_with_the_command_that_was_printed_and_only_with_the_secret() -> None:
    printed = sheet("-o", "exam.md", "--answers", "class.csv").output.splitlines()[-1].split()
    assert "--secret exam.secret" in " ".join(printed)
    batch = made(count=2)
    row = f"Ada,2,{batch[1].code},{','.join(batch[1].parts[0].key[0])}"
    fill(Path("class.csv"), lambda text: f"{text.splitlines()[0]}\n{row}\n")
    result = run(*printed[1:], "-f", "json")
    assert json.loads(result.stdout)["points"] == 5
    assert result.stderr == ""
    without = run("mark", "class.csv", "--topic", "softmax-row", *TOLD)
    assert without.exit_code == 2
    assert f"the checksum of the sheet is {batch[1].code}" in without.output
    assert "made with a secret, without which it cannot be marked; give it with --secret" in without.output
    Path("other.secret").write_text(f"symattn-secret/1\n{'0' * 64}\n", encoding="ascii")
    other = run("mark", "class.csv", "--topic", "softmax-row", *TOLD, "--secret", "other.secret")
    assert other.exit_code == 2
    assert "compare topic, difficulty, seed, secret and version" in other.output


def test_no_sheet_and_no_marks_are_written_over_the_secret() -> None:
    Path("exam.secret").rename("secret.txt")
    run("exercise", "softmax-row", *TOLD, "--secret", "secret.txt", "-o", "exam.md", "--answers", "class.csv")
    fill(Path("class.csv"), lambda text: text.replace("\n,1", "\nAda,1"))
    before = Path("secret.txt").read_bytes()
    told = ("--topic", "softmax-row", *TOLD, "--secret", "secret.txt")
    for result in (
        run(
            "exercise",
            "softmax-row",
            "--secret",
            "secret.txt",
            "-f",
            "latex",
            "-o",
            f"../{Path.cwd().name}/secret.txt",
        ),
        run("mark", "class.csv", *told, "-f", "text", "-o", "secret.txt"),
    ):
        assert result.exit_code == 2
        assert "secret.txt that is read: give another name" in result.output
    assert Path("secret.txt").read_bytes() == before
