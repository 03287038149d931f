"""What of a matrix stands on a page, and in which form: values, letters, intervals, free symbols; its shape line."""
