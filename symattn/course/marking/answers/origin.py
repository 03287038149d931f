"""Read and write which exercises were answered: the name of their file, or the options that generate them.

>>> found = origin_from({"topic": "attention-row", "difficulty": Digits("2"), "seed": Digits("7")})
>>> found == BatchOrigin("attention-row", 2, 7), as_told(found)
(True, {'topic': 'attention-row', 'difficulty': 2, 'seed': 7})
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from symattn.base.errors import AnswersError, shown
from symattn.course.marking.answers.model import BatchOrigin, cell_text

KEYS = ("topic", "of", "scenario", "ask", "fresh", "difficulty", "seed", "count", "secret")
"""The options that exercises are generated from, under their names on the command line."""

_EXAMPLE = '{"topic": "attention-row", "difficulty": 2, "seed": 7}'
_ABOUT_A_SCENARIO = "scenario"  # the topic that such sheets print
_TEXTS, _WHOLE, _TRUE_OR_FALSE = ("topic", "of", "scenario"), ("difficulty", "seed", "count"), ("fresh", "secret")


class Digits(str):
    """A number of JSON as it was written."""


def origin_from(value: object) -> BatchOrigin:
    """Read the origin of exercises as a file of answers gives it.

    A file that it names must be in the same folder. Raises :class:`~symattn.base.errors.AnswersError` with one
    sentence.
    """
    if isinstance(value, str) and not isinstance(value, Digits):
        return BatchOrigin(file=_beside(value, "exam.json"))
    if not isinstance(value, Mapping):
        raise AnswersError(f"expected the name of a file or {_EXAMPLE}")
    told: dict[str, Any] = {}
    for key, one in value.items():
        told[str(key)] = _read(str(key), one)
    return origin_of(told)


def _read(key: str, value: object) -> object:
    if key in _TEXTS and isinstance(value, str) and not isinstance(value, Digits):
        return _beside(value, "lesson.toml") if key == "scenario" else value
    if key in _WHOLE and isinstance(value, Digits) and _is_whole(value):
        return int(value)
    if key in _TRUE_OR_FALSE and isinstance(value, bool):
        return value
    if key == "ask" and isinstance(value, list) and all(_is_text(name) for name in value):
        return tuple(value)
    if key not in KEYS:
        raise AnswersError(f"{shown(key)} is not known here: expected {', '.join(KEYS)}")
    expected = "a list of names" if key == "ask" else "true or false" if key in _TRUE_OR_FALSE else "a text"
    expected = "a whole number" if key in _WHOLE else expected
    raise AnswersError(f"{key} is {shown(cell_text(value))}: expected {expected}, as in {_EXAMPLE}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, Digits)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20


def _beside(name: str, example: str) -> str:
    """Return the bare name of a file: a file of answers may only name files in its own folder."""
    if not name or any(mark in name for mark in "/\\:\0") or name.startswith("."):
        raise AnswersError(f"{shown(name)} is not the name of a file beside this one, such as {example}")
    return name


def origin_of(told: Mapping[str, Any], mark: str = "") -> BatchOrigin:
    """Return the origin with the given options; a topic may have the form on sheets, with its base after a ``/``.

    In messages of :class:`~symattn.base.errors.AnswersError`, ``mark`` precedes every name.

    >>> origin_of({"topic": "fading/attention-row", "difficulty": 2, "seed": 7}).of
    'attention-row'
    """
    topic, _, of = str(told.get("topic", "")).partition("/")
    if topic == _ABOUT_A_SCENARIO and "scenario" not in told:
        raise AnswersError(
            f"the sheets ask about a scenario: give {mark}scenario, its name or its file, and {mark}seed"
        )
    parted = dict(told) | ({"topic": topic, "of": of} if of and "of" not in told else {})
    if fault := fault_of(parted, mark):
        raise AnswersError(fault)
    return BatchOrigin(**parted)


def fault_of(told: Collection[str], mark: str = "") -> str:
    """Return which options are missing or superfluous, or ""; ``mark`` precedes every name.

    >>> fault_of(("topic", "seed"), "--")
    '--topic, --difficulty and --seed belong together: the sheets have all of them on them'
    >>> fault_of(("scenario", "seed"))
    ''
    """
    has_scenario = "scenario" in told
    needed = [*(["scenario"] if has_scenario else []), "topic", "difficulty", "seed"]
    if has_scenario and "topic" not in told:
        needed = ["scenario", "seed"]
    if any(name not in told for name in needed):
        names = [f"{mark}{name}" for name in needed]
        return f"{', '.join(names[:-1])} and {names[-1]} belong together: the sheets have all of them on them"
    if has_scenario and "of" in told:
        return f"{mark}of and {mark}scenario: expected one of the two, as a form stands on one"
    if not has_scenario and ("ask" in told or "fresh" in told):
        return f"{mark}ask and {mark}fresh go with {mark}scenario"
    return ""


def as_told(origin: BatchOrigin) -> dict[str, Any]:
    """Return the options that exercises are generated from, as a file of answers holds them, without unset ones."""
    return {key: _plain(getattr(origin, key)) for key in KEYS if getattr(origin, key) or _is_needed(origin, key)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _is_needed(origin: BatchOrigin, key: str) -> bool:
    """Return whether a key is written even if it is zero, as a seed is."""
    return key == "seed" and not origin.file
