"""``python -m symattn``."""

from symattn.cli import run

if __name__ == "__main__":
    run()
