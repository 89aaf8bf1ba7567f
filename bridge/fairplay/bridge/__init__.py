"""A bridge between Fairplay and programs that do not speak gRPC."""
