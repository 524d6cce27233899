"""Raw tables of `control` about usage of AI tools: agreed prices of models, and the developers behind actors."""

import pyarrow as pa

from ingest.schemas.fields import day, integer, long, text

AI_PRICES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("price_id", "UUIDv7 of the price. The later of two prices that are equal otherwise applies."),
        text("model", "Name of a model in lower case; a `*` at the end stands for any rest."),
        day("valid_from", "First day of usage (UTC)."),
        day("valid_until", "Last day of usage; null without an end.", nullable=True),
        text(
            "priced_as", "Model of the price table whose prices apply; null: the model's own.", nullable=True
        ),
        integer("discount_hundredths", "Hundredths of a percent off the price table.", nullable=True),
        long(
            "input_pico",
            "10⁻¹² US dollars a token that is read; null: the price table counts.",
            nullable=True,
        ),
        long("cache_read_pico", "The same for a token from a cache; null: as `input_pico`.", nullable=True),
        long("cache_write_5m_pico", "For one written to a cache; null: as `input_pico`.", nullable=True),
        long(
            "cache_write_1h_pico",
            "For one written for an hour; null: as `cache_write_5m_pico`.",
            nullable=True,
        ),
        long("output_pico", "For one that the model writes; null: the price table counts.", nullable=True),
    ]
)

AI_ACTORS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("actor", "Address, login, key or id of AI tools, in lower case."),
        text(
            "developer_id",
            "UUIDv5 of its developer at the time of the decision; null: several people.",
            nullable=True,
        ),
    ]
)
