"""A page with every component of the dashboard in its states, of the real templates and figures without meaning."""
