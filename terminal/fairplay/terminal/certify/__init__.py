"""Certifying players and servers: what is judged, shown and kept, and what a certificate is worth."""
