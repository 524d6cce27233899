"""What is stored of one person: found by the addresses and logins of a developer, a member or an invited person."""
