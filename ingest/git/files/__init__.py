"""What a file is: its role, whether people wrote it, and what .gitattributes says of it."""
