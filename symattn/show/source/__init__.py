"""What a source says and prints, held against what the solution finds."""
