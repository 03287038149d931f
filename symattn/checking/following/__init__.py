"""What follows from what: quantities, their values, and where printed figures come from."""
