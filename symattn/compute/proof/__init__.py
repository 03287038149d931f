"""Proofs in symbols: two matrix formulas that are equal for all sizes, the variance of a dot product.

:mod:`symattn.compute.proof.equality` and :mod:`symattn.compute.proof.variance` prove. Nothing is imported here: reading
a scenario needs only :mod:`symattn.read.sized`.
"""
