"""What a release consists of, and how it is tried: `make release`, `make release-check`; docs/releasing.md."""
