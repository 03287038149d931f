"""Roles: the purposes of matrices, found in formulas, and the sentences that a page has because of them."""
