"""Sheets and keys: documents made from exercises, for any renderer."""
