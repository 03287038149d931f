"""The schema of SARIF 2.1.0, as Microsoft gives it away: ``sarif-2.1.0-rtm.5.json``, unchanged from the package
@microsoft/jest-sarif 1.0.0-beta.0 of npm, which is under the licence of MIT in ``sarif-2.1.0-rtm.5.licence.txt``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft4Validator, FormatChecker

SCHEMA = Path(__file__).with_name("sarif-2.1.0-rtm.5.json")


@cache
def sarif_validator() -> Draft4Validator:
    """What logs are held against."""
    return Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")), format_checker=FormatChecker())
