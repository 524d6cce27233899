"""Changed lines whose words stood before: in another markup, another language, or another layout."""
