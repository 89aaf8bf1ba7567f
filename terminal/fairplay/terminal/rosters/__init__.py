"""Rosters: files that list who enters."""
