"""The games that a player is tried in: trials, rivals, races, positions and settings."""
