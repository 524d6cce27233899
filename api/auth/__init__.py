"""The paths under `/auth`: accounts, sessions, passwords and invitations; and the root login at `/impersonate`."""
