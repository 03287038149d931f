"""Names of files in any encoding, and in the C locale: pages with pictures beside them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from symattn.base.errors import SymattnError
from tests.commands import run
from tests.conftest import ROOT

LESSON = """title = "t"
[given]
X = [["1", "0"], ["0", "2"]]
[[section]]
title = "s"
steps = ["A = softmax(X @ X.T)", { figure = "heatmap", of = "A" }]
"""
BARE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have names in Unicode only")
@pytest.mark.parametrize("stem", [b"plain", "課".encode(), b"bad\xff", "課".encode("big5"), b"a b&(c)"])
@pytest.mark.parametrize("locale", [{}, BARE], ids=["usual", "bare"])
def test_a_page_leads_to_its_pictures_whatever_its_name_is(tmp_path: Path, stem: bytes, locale: dict[str, str]) -> None:
    lesson, page = (tmp_path / f"{os.fsdecode(stem)}{ending}" for ending in (".toml", ".md"))
    lesson.write_text(LESSON, encoding="utf-8")

    command = [sys.executable, "-m", "symattn", "derive", os.fsencode(lesson), "-o", os.fsencode(page)]
    done = subprocess.run(command, env=os.environ | locale, cwd=ROOT, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    addresses = re.findall(rb"^!\[.*\]\((.*)\)$", page.read_bytes(), re.MULTILINE)
    pictures = [tmp_path / os.fsdecode(unquote_to_bytes(address)) for address in addresses]
    assert pictures
    assert all(picture.is_file() for picture in pictures)


def test_a_message_shows_every_character_that_steers_or_hides() -> None:
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    for sign in filter(lambda sign: unicodedata.category(sign) in kinds, map(chr, range(sys.maxunicode + 1))):
        assert sign not in str(SymattnError(f"a{sign}b"))


@pytest.mark.parametrize("sign", ["\u200b", "\u202e", "\u2066", "\ufeff", "\x1b", "\u00ad"])
def test_an_error_about_a_formula_shows_what_nobody_sees(sign: str) -> None:
    for formula in (f"X +{sign} $ Y", f"foo{sign}(X)", f"X{sign} @@ Y", f"'{sign}'"):
        found = run("explain", formula)

        assert found.exit_code == 2
        assert sign not in found.output
