"""Releases for self-managed deployments: made by `make image`, and verified by `eas verify-release`."""
