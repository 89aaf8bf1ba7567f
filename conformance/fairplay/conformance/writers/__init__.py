"""Those who show or keep what happens in a run. They only take events."""
