"""A module for each format a document may have: from a file to pieces that know their places."""
