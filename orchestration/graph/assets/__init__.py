"""Asset definitions, one module per subject. They call other modules and compute nothing themselves."""
