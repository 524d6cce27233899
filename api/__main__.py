"""`python -m api` serves the API with the settings of the environment."""

from api.serve import serve

# Processes of the server import this module once more.
if __name__ == "__main__":
    serve()
