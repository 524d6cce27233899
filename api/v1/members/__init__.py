"""Routes of members: roles, invitations, API keys and the own figures of the caller."""
