"""What commit messages say: subject and trailers, merges, references to issues; and the mailmap."""
