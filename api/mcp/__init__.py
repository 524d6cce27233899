"""The MCP server: assistants read figures with an API key, by tools over the reads of `/api/v1`."""
