"""Matrices from arrays and files: NumPy arrays, tensors, nested lists, CSV, ``.npy``, ``.npz`` and ``.safetensors``.

A binary float is taken as the exact rational it is, or with ``decimals`` as the decimal it prints; nothing is ever
unpickled. The result is a :class:`~symattn.read.given.Given`, which remembers how its numbers were taken.

>>> matrix([[0.5, -0.25]]).entries
[1/2, -1/4]
>>> list(matrix([[0.1, 2]], decimals=3).texts[0])
['0.100', '2.000']
"""

from symattn.read.arrays.files import open_tensors, read_file
from symattn.read.arrays.opened import TensorFile
from symattn.read.arrays.sources import matrix

__all__ = ["TensorFile", "matrix", "open_tensors", "read_file"]
