"""Tables that leave the service as files. What leaves cannot run: no cell becomes a formula."""
