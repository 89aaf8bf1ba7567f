"""The formats of tournaments: plans that say which games are played. Nothing here waits, calls or reads a clock."""
