"""What a server shows of its work to operators: metrics for Prometheus, traces for OpenTelemetry."""
