"""What everything stands on: errors, limits, budgets, shapes, words, printed figures."""
