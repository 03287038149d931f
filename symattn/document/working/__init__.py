"""Worked entries: how one entry of a step, and what its row shares, come about in figures."""
