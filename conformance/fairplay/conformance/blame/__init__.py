"""Whose fault a failure is: which case owns it, and whether it shows without the games before."""
