"""A browser's session: its cookie, the forms that begin and end it, and the first page."""
