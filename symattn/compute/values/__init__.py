"""The evaluators of a formula (rational, ball, exact, float64) and the certified decimals."""
