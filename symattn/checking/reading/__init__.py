"""From pieces of text to statements: chains of expressions, each figure of which knows its place."""
