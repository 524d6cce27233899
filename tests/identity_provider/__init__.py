"""A real OpenID Connect provider for the tests, which runs on Node."""
