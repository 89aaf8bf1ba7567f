"""The gRPC services: they hand requests to the referee, the manager and the hub, and turn refusals into errors."""
