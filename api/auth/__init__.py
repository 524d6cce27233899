"""The paths under `/auth`: accounts, sessions, passwords and invitations."""
