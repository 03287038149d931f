"""Pictures: a drawing is laid out once, as strokes; each format has a small template for each kind of stroke."""
