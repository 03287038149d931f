"""Pictures of a solution: what they show, what is said of it, and where there is one by default."""
