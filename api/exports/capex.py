"""`python -m api.exports.capex <organization id>` prints the CapEx report of completed months as CSV.

It is for programs on this machine that have no API key. The file equals the API's.
"""

import sys

import duckdb

from api.access.row_access import RowAccess
from api.errors import ApiError
from api.exports.tables import Format, write
from api.query.columns import select_list
from api.query.ordering import order_sql
from api.read.capex.report import BY_MONTH, COLUMNS, CapexSelection, condition, source
from api.settings import ApiSettings
from api.snapshot.builds import Warehouse


def main(organization_id: str) -> None:
    """Write the report of an organization's current build. Raises FailedPrecondition before the first publish."""
    settings = ApiSettings()
    warehouse = Warehouse(settings.published_root, settings.read_memory_mb)
    builds = warehouse.of(organization_id)
    build = builds.lease_current()
    try:
        access = RowAccess(organization_id)
        selected = condition(CapexSelection(None, None, with_drafts=False))
        rows = build.batches(
            f"select {select_list(COLUMNS.values())} from {source(build, access).sql} where {selected.sql}"
            f" order by {order_sql(BY_MONTH)}",
            selected.parameters,
        )
        for piece in write(Format.CSV, [column.name for column in COLUMNS.values()], [], rows):
            sys.stdout.buffer.write(piece)
    finally:
        builds.release(build)
        warehouse.close()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (ApiError, OSError, duckdb.Error) as error:
        sys.exit(" ".join(str(error).split()))
