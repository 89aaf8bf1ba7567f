"""The player under test: how it is reached, called and let go of."""
