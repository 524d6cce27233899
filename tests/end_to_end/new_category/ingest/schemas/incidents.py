"""Raw tables of `incidents` (one connection to an incident tool per source)."""

import pyarrow as pa

from ingest.schemas.category import CONNECTION, VERSION, Category, Versions
from ingest.schemas.fields import instant, text

INCIDENTS = pa.schema(  # one row per version of an incident
    [
        *CONNECTION,
        text("provider_id", "Id of the incident at the provider."),
        text("title", "Title."),
        instant("updated_at", "Last change that the provider names."),
        text("payload", "The provider's answer as JSON."),
        VERSION,
    ]
)

INCIDENT_TOOL = Category(
    noun="incidents",
    name="INCIDENT_TOOL",
    title="incident tool",
    reads="incidents",
    job="sync_incident_tool",
    versions={"incidents": Versions(INCIDENTS, "One row per version of an incident.")},
)
