"""The Python interface: derive and publish solutions, build scenarios, explain formulas, validate files."""
