"""The claims and figures of a source, compared with the solution."""
