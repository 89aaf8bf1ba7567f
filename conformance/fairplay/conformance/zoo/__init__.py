"""Mutants: players with exactly one defect, which test the suite, the referee and the demo."""
