"""Decide whether a printed figure is right, and which mistake explains it."""
