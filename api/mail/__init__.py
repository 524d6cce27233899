"""Mail: texts, composition, transport and delivery."""
