"""The OpenAPI document: what FastAPI derives from the routes, and everything that it does not know."""
