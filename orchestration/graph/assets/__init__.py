"""Asset definitions, one module per noun. They call other modules and compute nothing themselves."""
