"""The gRPC services, thin: from messages to the referee, the manager and the hub, and from refusals to errors."""
