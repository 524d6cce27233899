"""Runs one extraction in a separate process: `python -m tests.benchmarks.reading.extract_once GIT_DIR RAW_DIR`.

Prints its report as one line of JSON, so that the bench can measure time and memory from outside.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, replace


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("git_dir")
    parser.add_argument("raw_dir")
    parser.add_argument("--organization", required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--verify", action="store_true", help="check object hashes, as for a local path")
    parser.add_argument("--repository-id", help="instead of the one that the history gives")
    parser.add_argument("--batch-commits", type=int, help="read in this process, in batches of this size")
    arguments = parser.parse_args()
    # Here, as in `eas`: the server of the reading processes imports what the module of the command imports.
    from ingest.git import run
    from ingest.git.extract import extract_repository
    from ingest.git.repository_source import resolve
    from ingest.git.supervision import Readers
    from ingest.lake import Lake
    from orchestration.deployment import machine_settings

    settings = machine_settings().model_copy(update={"raw_dir": arguments.raw_dir})
    source = resolve(arguments.git_dir, settings, arguments.organization)
    repository_id = arguments.repository_id or source.repository_id
    source = replace(source, is_trusted_mirror=not arguments.verify, repository_id=repository_id)
    lake = Lake(arguments.raw_dir)
    lake.prepare(arguments.organization)
    started = time.monotonic()
    if arguments.batch_commits is None:
        # As `eas analyze` reads, so that the start of processes counts.
        report = Readers(settings).read(source, workers=arguments.workers)
    else:
        run.BATCH_COMMITS = arguments.batch_commits
        report = extract_repository(source, lake, workers=arguments.workers)
    wall = time.monotonic() - started
    print(json.dumps(asdict(report) | {"wall": wall, "repository_id": source.repository_id}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
