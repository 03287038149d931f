"""From what people write to a plan of symbols: formulas, arrays, scenarios, gradients, ready-made derivations."""
