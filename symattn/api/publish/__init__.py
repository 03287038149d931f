"""Write solutions as whole files: interactive pages, notebooks, sheets, data. One module each, listed in formats.py."""
