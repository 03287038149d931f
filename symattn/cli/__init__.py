"""The command line: every command calls one library function. Heavy imports wait until they are needed.

``group`` is the group of all commands; the other modules, one for each kind of command, add theirs when imported.
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
