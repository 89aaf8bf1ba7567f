"""Examinations: the conformance suite in a process of its own, on players that sign up and on those that dial in."""
