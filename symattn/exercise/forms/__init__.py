"""Other ways to ask: a wrong entry to be found, steps to be put in order, blanks in matrices, solutions that fade."""
