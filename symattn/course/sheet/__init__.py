"""Sheets and keys: from an exercise to documents, which any renderer writes."""
