"""Read what people write into a plan of symbols: formulas, arrays, scenarios, gradients, ready-made derivations."""
