"""Topics of exercises: each draws numbers for a derivation and chooses the names that are asked."""
