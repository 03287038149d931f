"""Mistakes that students make, as rewritings of a derivation, and what is said of them."""
