"""When things run and in what order: Dagster definitions, the command line, publishing."""
