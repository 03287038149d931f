"""The command line: every command calls one library function. Heavy imports wait until they are needed.

``group`` is what all commands belong to; the other modules add theirs to it when they are imported, one module for each
kind of command.
"""

from symattn.cli import catalogue as catalogue
from symattn.cli import check as check
from symattn.cli import exercises as exercises
from symattn.cli import lessons as lessons
from symattn.cli import marks as marks
from symattn.cli import solutions as solutions
from symattn.cli.group import main, run
from symattn.cli.options import FORMATS

__all__ = ["FORMATS", "main", "run"]
