"""Connections of clients: what one process accepts from them, before the application sees a request."""
