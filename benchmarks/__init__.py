"""How fast it is, and how much memory it takes: what `make bench` runs. See docs/performance.md."""
