"""Reports on events of many players: pages, plots, grades."""
