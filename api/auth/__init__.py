"""Who is calling and may they: credentials, declarations of routes, and the paths under `/auth`."""
