"""Sheets that compute: formulas of spreadsheets from the equations of operations, and where they stand."""
