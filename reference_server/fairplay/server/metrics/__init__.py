"""What a server counts about itself, and the page of Prometheus that shows it to operators."""
