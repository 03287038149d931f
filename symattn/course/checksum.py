"""A short checksum of an exercise's numbers, so that answers to other numbers are not marked unnoticed.

>>> from symattn.course.model import Part
>>> steps = '[given]\\nX = [["3"]]\\n[[section]]\\nsteps = ["Y = X / 2"]'
>>> parts = (Part("Y", "matrix", 3, (("1.5",),), ((0, 0),)),)
>>> half = Exercise("half", 1, 7, 1, "en", f'title = "Half"\\n{steps}', parts)
>>> other = Exercise("half", 1, 7, 1, "en", f'title = "Die Hälfte"\\n{steps}', parts)
>>> stamp_of(half).code, stamp_of(half) == stamp_of(other)
('1JFP-3C85', True)
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from hashlib import sha256

from symattn import __version__
from symattn.base.errors import AnswersError, shown
from symattn.course.model import Exercise

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no two characters look alike when copied from paper."""

GROUP, OF_NUMBERS, OF_SECRET = 4, 2, 3
"""Characters in a group, groups in a checksum, and groups in the code of a sheet with a secret."""

_WORDS = ("title", "intro", "language")
_ALIKE = str.maketrans("OIL", "011")
_STAMP = re.compile(r"([0-9A-Za-z][0-9A-Za-z \-]*)(?:/([0-9A-Za-z.+!_\-]{1,40}))?\Z", re.ASCII)


@dataclass(frozen=True)
class Stamp:
    """The checksum of an exercise's numbers, or its code if it was made with a secret, and the version of symattn that
    wrote it, if known.

    >>> str(Stamp("K7QM-2XPA", "0.1.0")), Stamp("K7QM-2XPA-9R3T").is_secret
    ('K7QM-2XPA/0.1.0', True)
    """

    code: str
    made_by: str = ""

    def __str__(self) -> str:
        return f"{self.code}/{self.made_by}" if self.made_by else self.code

    @property
    def told(self) -> str:
        """The stamp in a sentence: the letters, and the version that wrote them."""
        return f"{self.code} (symattn {self.made_by})" if self.made_by else self.code

    @property
    def is_secret(self) -> bool:
        """Whether it is the code of a sheet that was made with a secret."""
        return self.code.count("-") + 1 == OF_SECRET


def stamp_of(exercise: Exercise) -> Stamp:
    """Return the stamp that this version of symattn prints on the sheet and the key of an exercise."""
    return Stamp(exercise.code or checksum(exercise), __version__)


def checksum(exercise: Exercise) -> str:
    """Return the checksum of the exercise's numbers: the same in every language."""
    return grouped(sha256(numbers(exercise).encode()).digest(), OF_NUMBERS)


def numbers(exercise: Exercise) -> str:
    """Return everything in an exercise except its words and the answers of mistakes, in a canonical form."""
    table = {key: value for key, value in tomllib.loads(exercise.source).items() if key not in _WORDS}
    sections = [section.get("steps") for section in table.pop("section", [])]
    planted = exercise.planted
    found = {
        "table": table,
        "steps": sections,
        "parts": [(part.name, part.kind, part.decimals, part.key, part.asked) for part in exercise.parts],
        "form": (exercise.form, exercise.stage, exercise.shown, exercise.order),
        "planted": None if planted is None else (planted.step, planted.row, planted.column, planted.figure),
    }
    return json.dumps(found, sort_keys=True, separators=(",", ":"), default=str)


def grouped(digest: bytes, groups: int) -> str:
    """Return the first bits of a digest as groups of letters.

    >>> grouped(bytes(range(32)), 2)
    '000G-40R4'
    """
    count = GROUP * groups
    bits = int.from_bytes(digest) >> (8 * len(digest) - 5 * count)
    letters = "".join(LETTERS[bits >> 5 * place & 31] for place in reversed(range(count)))
    return "-".join(letters[start : start + GROUP] for start in range(0, count, GROUP))


def stamp_from(text: str) -> Stamp:
    """Parse a copied stamp; lower case, missing hyphens and letters that look alike are accepted.

    Raises :class:`~symattn.base.errors.AnswersError` for anything else.

    >>> str(stamp_from(" k7qm2xpa/0.1.0 ")), str(stamp_from("K7QM 2XPO"))
    ('K7QM-2XPA/0.1.0', 'K7QM-2XP0')
    """
    match = _STAMP.match(text.strip())
    letters = re.sub(r"[ \-]", "", match[1]).upper().translate(_ALIKE) if match else ""
    if match is None or len(letters) not in (GROUP * OF_NUMBERS, GROUP * OF_SECRET) or set(letters) - set(LETTERS):
        raise AnswersError(f"is {shown(text)}: expected it as it stands on the sheet, such as K7QM-2XPA")
    groups = (letters[start : start + GROUP] for start in range(0, len(letters), GROUP))
    return Stamp("-".join(groups), match[2] or "")
