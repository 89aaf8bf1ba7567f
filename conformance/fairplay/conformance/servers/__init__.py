"""The conformance suite for servers: it probes another's services with scripted players, from the contract alone."""
