"""Identity providers: those of organizations, sign-ins under way, the accounts of identities, and rules of sign-in."""
