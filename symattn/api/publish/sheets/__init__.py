"""Sheets that compute: write the equations of operations as spreadsheet formulas, and place them."""
