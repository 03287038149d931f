"""Mistakes that students make, as rewritings of a derivation, and the texts that explain them."""
