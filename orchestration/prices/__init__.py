"""Prices of models: names, the price table of a package, and the table that a build reads."""
