"""Proofs in symbols: two matrix formulas that are equal for all sizes, the variance of a dot product."""

from symattn.proof.equality import Proof, ProofStep, prove
from symattn.proof.error import ProofError
from symattn.proof.variance import VarianceProof, variance

__all__ = ["Proof", "ProofError", "ProofStep", "VarianceProof", "prove", "variance"]
