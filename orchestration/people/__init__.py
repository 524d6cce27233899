"""Finds the stored rows of one person by the addresses and logins of a developer, a member or an invited person."""
