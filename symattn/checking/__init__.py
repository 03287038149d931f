"""Checking a document: what somebody wrote is read, worked out again, and held against its own figures."""
