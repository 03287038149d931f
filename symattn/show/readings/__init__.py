"""Sentences about the values of a step, each backed by a proof."""
