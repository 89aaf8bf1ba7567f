"""A listener that speaks HTTP/2 itself, for the streams of players: gRPC as grpc.aio speaks it, at half the cost."""
