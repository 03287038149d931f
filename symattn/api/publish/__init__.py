"""Solutions as whole files: pages that open, notebooks, sheets, data. A module for each, a line in formats.py."""
