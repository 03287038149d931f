"""Work entries in figures: one entry of a step, and the numbers that its row shares.

The modules below register the rules of operations with a way of their own; all others are worked from their equations
(``equations.py``). Add new modules of such rules to this list.
"""

from symattn.show.working import own_ways, products, softmax

__all__ = ["own_ways", "products", "softmax"]
