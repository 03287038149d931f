"""The forms in which a page shows a matrix: values, letters, intervals, free symbols; and the line of shapes."""
