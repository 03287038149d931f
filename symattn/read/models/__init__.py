"""Attention from the weights of a model: turn a layer in a file into the scenario that a person would write.

``layouts`` knows how families of models name their tensors, ``weights`` reads one layer in such a layout, ``settings``
finds out how the layer works, ``steps`` writes the scenario's data, and ``attention`` puts them together.
"""

from symattn.read.models.attention import attention_of

__all__ = ["attention_of"]
