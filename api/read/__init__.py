"""Queries over the published build. Every read starts from `access`, every number from `metrics`."""
