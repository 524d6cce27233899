"""Workers: processes of their own, on this or other machines, that execute the runs of Dagster."""
