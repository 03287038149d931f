"""From a plan to values: arithmetics, solutions, proofs for all sizes, programs."""
