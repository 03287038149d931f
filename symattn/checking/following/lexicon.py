"""The lexicon for those who follow a document."""

from symattn.checking.phrases import *  # noqa: F403
