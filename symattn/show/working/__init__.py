"""Worked entries: how one entry of a step, and what its row shares, come about in figures.

The modules below register the rules of operations that are worked in a way of their own; all others are worked from
their equations (``equations.py``). A new module of such rules belongs into this list.
"""

from symattn.show.working import own_ways, products, softmax

__all__ = ["own_ways", "products", "softmax"]
