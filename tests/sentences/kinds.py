"""Every kind of automatic sentence: its form, and what its claim is held against."""

from __future__ import annotations

from tests.sentences.of_gradients import OF_GRADIENTS
from tests.sentences.of_pages import OF_PAGES
from tests.sentences.of_reasons import OF_REASONS
from tests.sentences.of_steps import OF_STEPS
from tests.sentences.page import Kind

KINDS: tuple[Kind, ...] = (*OF_STEPS, *OF_GRADIENTS, *OF_PAGES, *OF_REASONS)
"""A sentence that has none of these forms fails: a new kind needs a checker."""
