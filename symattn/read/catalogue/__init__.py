"""Ready-made derivations: attention and its relatives, heads, positions, norms and layers, output, efficient forms.

>>> from symattn.read.catalogue import entry_named, written
>>> entry_named("attention").source.place
'section 3.2.1, equation (1)'
"""

from symattn.read.catalogue.entries import entries, entry_named, plan, written

__all__ = ["entries", "entry_named", "plan", "written"]
