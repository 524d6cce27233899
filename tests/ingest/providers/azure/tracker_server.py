"""Small Azure Boards in memory: work items as revisions, of which the last one says how an item is today."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx

from tests.ingest.providers.azure import host_server as azure_server

Row = dict[str, Any]
STATES = {
    "New": "Proposed",
    "Active": "InProgress",
    "In Test": "Resolved",
    "Closed": "Completed",
    "Cut!": "Removed",
}


def at(day: int, hour: int = 0) -> str:
    return f"2026-03-{day:02}T{hour:02}:00:00.5Z"


def person(name: str) -> Row:
    return {"displayName": name.title(), "uniqueName": f"{name}@example.com", "id": f"id-{name}"}


@dataclass
class AzureBoards(azure_server.AzureDevOps):
    """`revisions` are in the order of their changes; `hidden` are items that the token may not read in full."""

    scopes: tuple[str, ...] = ("work",)
    revisions: list[Row] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)
    links: list[Row] = field(default_factory=list)
    links_are_preview: bool = True
    unknown_fields: frozenset[str] = frozenset()

    def change(self, key: int, day: int, state: str = "New", by: str = "ann", **fields: Any) -> Row:
        """Add a revision of an item; fields stay until a later one changes them."""
        before = [one for one in self.revisions if one["id"] == key]
        kept = before[-1]["fields"] if before else {
            "System.WorkItemType": "User Story",
            "System.TeamProject": "Web Shop",
            "System.AreaPath": "Web Shop\\Payments",
            "System.Title": f"Item {key}",
            "System.CreatedDate": at(day),
            "System.CreatedBy": person(by),
        }  # fmt: skip
        named = {name if "." in name else f"System.{name}": value for name, value in fields.items()}
        row = {
            "id": key,
            "rev": len(before) + 1,
            "fields": {
                **kept,
                **named,
                "System.Id": key,
                "System.Rev": len(before) + 1,
                "System.State": state,
                "System.ChangedDate": at(day),
                "System.ChangedBy": person(by),
            },
        }
        self.revisions.append(row)
        return row

    def set_parent(self, child: int, parent: int | None, day: int) -> None:
        """Change the parent of an item, which makes no revision."""
        attributes = {
            "sourceId": parent or 1,
            "targetId": child,
            "isActive": parent is not None,
            "changedDate": at(day),
        }
        self.links.append({"rel": "System.LinkTypes.Hierarchy-Forward", "attributes": attributes})
        self._today()[child]["fields"]["System.Parent"] = parent

    def answer(self, request: httpx.Request, path: str) -> httpx.Response:
        if not path.startswith(("_apis/connectionData", "_apis/projects")) and "work" not in self.scopes:
            return httpx.Response(401, json={"message": "TF400813: The user is not authorized"})
        if path == "_apis/wit/reporting/workitemrevisions":
            return self._reporting(request.url.params)
        if path == "_apis/wit/reporting/workitemlinks":
            return self._changed_links(request.url.params)
        if path == "_apis/wit/workitemsbatch":
            return self._batch(json.loads(request.content))
        if path == "_apis/wit/wiql":
            return self._query(request)
        if match := re.fullmatch(r"_apis/wit/workItems/(\d+)/revisions", path):
            mine = [one for one in self.revisions if one["id"] == int(match[1])]
            skip, top = (int(request.url.params.get(name, 0)) for name in ("$skip", "$top"))
            return httpx.Response(200, json={"value": mine[skip : skip + top]})
        if path.endswith("/_apis/wit/workitemtypes"):
            if unquote(path.partition("/")[0]) not in self.projects:
                return httpx.Response(404, json={"message": "TF200016: no such project"})
            states = [{"name": name, "category": category} for name, category in STATES.items()]
            return httpx.Response(200, json={"value": [{"name": "User Story", "states": states}]})
        return super().answer(request, path)

    def _reporting(self, params: httpx.QueryParams) -> httpx.Response:
        if "startDateTime" in params and "continuationToken" in params:
            return httpx.Response(400, json={"message": "VS402429: both"})
        start = int(params.get("continuationToken", 0))
        size = int(params.get("$maxPageSize", self.page_size))
        chosen = list(enumerate(self.revisions))[start:]
        if since := params.get("startDateTime"):
            chosen = [(n, one) for n, one in chosen if one["fields"]["System.ChangedDate"] >= since]
        if params.get("includeDeleted") != "true":
            chosen = [(n, one) for n, one in chosen if not one["fields"].get("System.IsDeleted")]
        page = chosen[:size]
        after = page[-1][0] + 1 if page else len(self.revisions)
        if self.repeats_rows:
            page = [*reversed(page), *page[:1]]
        names = params["fields"].split(",")
        values = [
            {"id": r["id"], "rev": r["rev"], "fields": {k: v for k, v in r["fields"].items() if k in names}}
            for _, r in page
        ]
        # The address of the next batch and the token are there on the last batch, too.
        body = {"values": values, "continuationToken": str(after), "isLastBatch": len(chosen) <= size}
        return httpx.Response(200, json={**body, "nextLink": f"https://elsewhere.example/?{after}"})

    def _changed_links(self, params: httpx.QueryParams) -> httpx.Response:
        if params["api-version"].endswith("-preview") is not self.links_are_preview:
            return httpx.Response(
                400, json={"typeKey": "VssInvalidPreviewVersionException", "message": "preview"}
            )
        assert params["linkTypes"] == "System.LinkTypes.Hierarchy-Forward"
        found = [one for one in self.links if one["attributes"]["changedDate"] >= params["startDateTime"]]
        return httpx.Response(200, json={"values": found, "continuationToken": "9", "isLastBatch": True})

    def _today(self) -> dict[int, Row]:
        return {one["id"]: one for one in self.revisions}

    def _batch(self, body: Row) -> httpx.Response:
        if len(body["ids"]) > 200:
            return httpx.Response(400, json={"message": "VS402337: too many"})
        if unknown := self.unknown_fields & set(body.get("fields", ())):
            return httpx.Response(400, json={"message": f"TF51535: Cannot find field {unknown}."})
        today, names = self._today(), body.get("fields")
        found: list[Row | None] = []
        for key in body["ids"]:
            if key in self.hidden or today[key]["fields"].get("System.IsDeleted"):
                found.append(None)
                continue
            one = today[key]
            found.append(
                {**one, "fields": {k: v for k, v in one["fields"].items() if not names or k in names}}
            )
        return httpx.Response(200, json={"count": len(found), "value": found})

    def _query(self, request: httpx.Request) -> httpx.Response:
        above = int(re.findall(r"\[System.Id\] > (\d+)", json.loads(request.content)["query"])[0])
        top = int(request.url.params["$top"])
        alive = sorted(
            key
            for key, one in self._today().items()
            if not one["fields"].get("System.IsDeleted") and key > above
        )
        return httpx.Response(200, json={"workItems": [{"id": key} for key in alive[:top]]})
