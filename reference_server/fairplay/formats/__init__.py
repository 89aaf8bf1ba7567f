"""The formats of tournaments: schedules that say which games are played. Nothing here waits, calls or reads a clock."""
