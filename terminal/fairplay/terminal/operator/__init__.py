"""What operators of servers are given: the server with all beside it, accounts, and certificates for TLS."""
