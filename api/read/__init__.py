"""Queries over the published build. Every read starts from `scope`, every number from `metrics`."""
