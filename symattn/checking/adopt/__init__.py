"""What was read in a document as a scenario: somebody's page becomes a lesson in which every digit is certified."""
