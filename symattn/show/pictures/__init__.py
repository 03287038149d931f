"""Pictures of a solution: the drawings, the sentences about them, and the automatic ones."""
