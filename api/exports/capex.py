"""`python -m api.exports.capex <organization id>` prints the CapEx report of completed months as CSV.

It is for programs on this machine that have no API key. The file equals the API's.
"""

import sys
from typing import IO

import duckdb

from api.access.row_access import RowAccess
from api.errors import ApiError
from api.exports.tables import write
from api.query.parameters import Format
from api.read.capex.report import COLUMNS, CapexQuery, capex_batches
from api.settings import ApiSettings
from api.snapshot.warehouse import Warehouse


def main(organization_id: str, sink: IO[bytes]) -> None:
    """Write the report of an organization's current build. Raises FailedPrecondition before the first publish."""
    settings = ApiSettings()
    warehouse = Warehouse(settings.published_root, settings.read_memory_mb)
    builds = warehouse.of(organization_id)
    build = builds.lease_current()
    try:
        rows = capex_batches(build, RowAccess(organization_id), CapexQuery())
        sink.writelines(write(Format.CSV, COLUMNS, rows))
    finally:
        builds.release(build)
        warehouse.close()


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.stdout.buffer)
    except (ApiError, OSError, duckdb.Error) as error:
        sys.exit(" ".join(str(error).split()))
