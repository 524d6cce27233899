"""Asset definitions, one module per noun; they adapt and never compute."""
