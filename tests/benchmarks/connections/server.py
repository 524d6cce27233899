"""The loopback server of the bench: `python -m tests.benchmarks.connections.server RAW_DIR ORGANIZATION …`.

Prints its port. `GET /cpu` answers its own CPU seconds, so that a figure can tell them from the client's.
"""

import argparse
import json
import re
import sys
import time
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.benchmarks.connections.github_host import GitHubHost
from tests.benchmarks.connections.github_tracker import GitHubTracker
from tests.benchmarks.connections.jira_site import JiraSite

_NAME = re.compile(r"query (\w+)")


class Provider:
    """Jira Cloud, and GitHub with issues, behind one address."""

    def __init__(self, raw_dir: Path, organization_id: str, issues: int, pulls: int, end: datetime) -> None:
        self.jira = JiraSite(issues, end)
        self.host = GitHubHost(raw_dir, organization_id, pulls)
        self.tracker = GitHubTracker(self.host.repositories, issues, end)

    def answer(self, address: str, target: str, body: Any) -> tuple[bytes, dict[str, str]]:
        """The body and further headers of an answer."""
        url = urlsplit(target)
        if url.path == "/cpu":
            return json.dumps(time.process_time()).encode(), {}
        if url.path.startswith("/rest/api/3/"):
            return self.jira.answer(url.path, body), {}
        if url.path.endswith("/user/repos"):
            page = int(parse_qs(url.query).get("page", ["1"])[0])
            rows, is_last = self.host.listing(address, page)
            link = f'<{address}{url.path}?page={page + 1}>; rel="next"'
            return rows, {} if is_last else {"Link": link}
        return self._graphql(body["query"], body["variables"]), {}

    def _graphql(self, document: str, variables: dict[str, Any]) -> bytes:
        [name] = _NAME.findall(document)[:1]
        if name == "PullRequests":
            return self.host.pull_requests(variables)
        if name == "Numbers":
            return self.host.numbers(variables)
        if name == "Newest":
            return json.dumps({"data": self.host.newest(variables)}).encode()
        if name in ("Issues", "Ids"):
            return self.tracker.issues(name, variables)
        return json.dumps({"data": self.tracker.answer(name, variables)}).encode()


def handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: Any) -> None:
            content, headers = provider.answer(f"http://{self.headers['Host']}", self.path, body)
            self.send_response(200)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return Handler


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw_dir", type=Path)
    parser.add_argument("organization")
    parser.add_argument("--issues", type=int, required=True)
    parser.add_argument("--pulls", type=int, required=True)
    parser.add_argument("--end", type=datetime.fromisoformat, required=True)
    arguments = parser.parse_args()
    provider = Provider(
        arguments.raw_dir, arguments.organization, arguments.issues, arguments.pulls, arguments.end
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(provider))
    print(server.server_address[1], flush=True)
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
