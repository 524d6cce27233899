"""Facts from commit messages: subject and trailers, merges, references to issues; and the mailmap."""
