"""The lessons beside those that are written by hand: theirs with other names, numbers and languages, and the entries of
the catalogue with their options. Which lesson a number is never changes."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from symattn.api.starter import start
from symattn.read.catalogue import entries
from symattn.read.scenario.toml import toml_text

OTHERS = range(160)
OF_THE_CATALOGUE = 56
"""The last of them; each entry comes twice."""

NAMES = (
    "i j k l m n p r t c d e x alpha beta gamma theta lambda mu sigma Delta Omega Weights out b_1 W_k h_0 Z P u v w y"
).split()
SAID = frozenset("title title.en source note need intro".split())
LANGUAGES = ("en", "zh-Hant", "zh-Hans")
TOKENS = {"en": ("one", "k", "the", "end"), "zh-Hant": ("我", "要", "喝", "茶"), "zh-Hans": ("我", "爱", "吃", "派")}


def other(number: int) -> str:
    """The text of a lesson."""
    first = len(OTHERS) - OF_THE_CATALOGUE
    return _varied(number) if number < first else _of_an_entry(number - first)


@cache
def _written() -> list[str]:
    return [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.toml"))]


def _varied(number: int) -> str:
    """A lesson by hand with every name another one, its figures turned round, in another language."""
    random = Random(number)
    table = tomllib.loads(_written()[number % len(_written())])
    known = [*table["given"], *table.get("sizes", {}), *table.get("symbols", ()), *_defined(table)]
    names = random.sample(
        [name for name in NAMES if name not in known and not (name == "n" and "tokens" in table)], k=min(25, len(known))
    )
    called = {name: new for name, new in zip(dict.fromkeys(known), names, strict=False) if name not in ("L", "n")}
    found = _renamed(table, called)
    givens = {name: each if isinstance(each, dict) else {"value": each} for name, each in found["given"].items()}
    return toml_text({**found, "language": LANGUAGES[number % 3], "given": givens, "intro": f"Lesson {number}."})


def _defined(table: dict[str, Any]) -> list[str]:
    items = [item for section in table["section"] for item in section["steps"]]
    steps = [item if isinstance(item, str) else item.get("step", item.get("quantity", "")) for item in items]
    return [step.partition("=")[0].strip() for step in steps if "=" in step]


def _renamed(value: Any, called: dict[str, str], key: str = "") -> Any:
    """The same table with names put for names: those of tables, and those in formulas."""
    if isinstance(value, dict):
        is_of_words = key in SAID or {*value} & {"en", "zh-Hant", "zh-Hans"}
        return (
            value
            if is_of_words
            else {
                called.get(k, k) if key in ("given", "sizes") else k: _renamed(v, called, k) for k, v in value.items()
            }
        )
    if isinstance(value, list):
        return [_renamed(each, called, key) for each in value]
    if isinstance(value, str) and key not in SAID and key not in ("tokens", "labels", "rule"):
        return re.sub(r"(?<![\w.])[A-Za-z]\w*(?!\w|\()", lambda found: called.get(found[0], found[0]), value)
    return value


def _of_an_entry(number: int) -> str:
    """An entry of the catalogue, its options chosen by lot."""
    random, entry = Random(number), list(entries())[number % len(entries())]
    language = LANGUAGES[number % 3]
    settings: dict[str, Any] = {}
    for option in entry.options if number >= len(entries()) else ():
        if option.choices and not option.needs and random.random() < 0.6:
            settings[option.name] = random.choice(option.choices)
    return start(
        TOKENS[language],
        random=random,
        use=(entry.name,),
        settings=settings,
        language=language,
        written=number % 2 == 0,
    )
