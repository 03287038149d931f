"""Attention from the weights of a model: a layer of a file becomes the scenario that somebody would have written.

``layouts`` knows the names that families of models give their tensors, ``weights`` reads one layer of a file in such a
layout, ``scenario`` writes the steps, ``words`` what is said of them, ``attention`` puts them together.
"""

from symattn.read.models.attention import attention_of

__all__ = ["attention_of"]
