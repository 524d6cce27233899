"""The category of model endpoints: services that write text. They have no raw tables, because nothing is read of them."""

from ingest.schemas.category import Category

MODEL_ENDPOINT = Category(
    noun="model_endpoints",
    name="MODEL_ENDPOINT",
    title="model endpoint",
    reads="nothing; a model writes the text of summaries",
)
