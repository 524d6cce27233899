"""`/scim/v2`: SCIM 2.0, by which directories provision members and groups."""
