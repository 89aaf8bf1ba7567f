"""Writers that keep what a run has found. They only take events."""
