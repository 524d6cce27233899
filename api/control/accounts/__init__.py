"""Accounts of people: sign-up, sessions, passwords, API keys, memberships, invitations and mails."""
