"""What matrices are for: roles found in formulas, and what a page says by them."""
