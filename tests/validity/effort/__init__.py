"""ETV against the effort that other people measured."""
