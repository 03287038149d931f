"""A proof on the page: its statement, its lines, and a reason for each sign of equality."""
