"""The notation of names, numbers and formulas, in reading order."""
