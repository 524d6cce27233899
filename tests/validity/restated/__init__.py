"""What a change of rules moves: histories analysed with the code of an earlier revision and with this checkout."""
