"""`python -m api`: serve the API with the settings of the environment."""

from api.serve import serve

serve()
