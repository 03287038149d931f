"""What Python callers use: derive and publish solutions, build scenarios, explain formulas, validate files."""
