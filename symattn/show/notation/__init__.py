"""How names, numbers and formulas are written, in reading order."""
