"""What a run imports. The server of processes imports it once."""

# ruff: noqa: F401 - importing is all it does
import dbt.adapters.duckdb.connections
import dbt.cli.main

import api.app
import api.serve
import orchestration.cli
import orchestration.commands.repairs
import orchestration.commands.runs
import orchestration.doctor.examination
import orchestration.report.run
import tests.conftest
