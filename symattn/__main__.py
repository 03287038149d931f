"""``python -m symattn``, and ``python symattn/__main__.py`` in a checkout."""

import sys
from pathlib import Path

if not __package__:  # run as a file: Python then looks into this folder first, where the package itself is not
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from symattn.cli import run

if __name__ == "__main__":
    run()
