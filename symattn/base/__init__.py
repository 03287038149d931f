"""The foundation of every other package: errors, limits, budgets, shapes, words, printed figures."""
