"""Web addresses of issues, work items and pull requests, each in one spelling.

Add: the address forms of a tracker or host. Keep out: finding them in texts (`references`), addresses of
repositories (`remote.url`). The spelling is `https://host/path` as in the tracker's own interface: host in lower
case, no slug, query or fragment.
"""

import re

_LIMIT = 2000
"""Longer addresses are never those of issues."""

_PARTS = re.compile(
    r"https?://(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)(?P<port>:\d{1,5})?"
    r"(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?"
)
_KEY = r"[A-Za-z][A-Za-z0-9_]{1,14}-[1-9]\d{0,8}"
_N = r"\d{1,9}"

# Patterns for host and path, each with the spelling of the result (None: as matched). The group `key` becomes upper
# case. Anything after the match, usually a slug, is cut off.
_FORMS: tuple[tuple[str, str | None], ...] = (
    # GitLab, which left out the dash until 2019
    (rf"(?P<p>[^/]+/.+?)/-/(?P<k>issues|merge_requests|work_items|epics)/(?P<n>{_N})", None),
    (rf"(?P<p>[^/]+(?:/[^/]+){{2,10}})/merge_requests/(?P<n>{_N})", "{p}/-/merge_requests/{n}"),
    (rf"(?P<p>[^/]+(?:/[^/]+){{3,10}})/issues/(?P<n>{_N})", "{p}/-/issues/{n}"),
    (rf"(?P<p>gitlab\.[^/]+/[^/]+/[^/]+)/issues/(?P<n>{_N})", "{p}/-/issues/{n}"),
    # GitHub, Gitea, Bitbucket
    (rf"[^/]+/[^/]+/[^/]+/(?:issues|pulls?|pull-requests|discussions)/{_N}", None),
    (rf"[^/]+(?:/[^/]+){{0,3}}/(?:projects|users)/[^/]+/repos/[^/]+/pull-requests/{_N}", None),
    # Jira, Linear, YouTrack
    (rf"(?P<p>[^/]+(?:/[^/]+){{0,3}}/(?:browse|issue))/(?P<key>{_KEY})", "{p}/{key}"),
    (
        rf"(?P<p>[^/]+)(?:/jira)?/(?:software/)?(?:c/)?projects/[^/]+/issues/(?P<key>{_KEY})",
        "{p}/browse/{key}",
    ),
    # Azure DevOps
    (rf"dev\.azure\.com/[^/]+/[^/]+/_(?:workitems/edit|git/[^/]+/pullrequest)/{_N}", None),
    (
        rf"(?P<o>[^./]+)\.visualstudio\.com(?:/DefaultCollection)?/(?P<p>[^/]+/_(?:workitems/edit|git/[^/]+/pullrequest)/{_N})",
        "dev.azure.com/{o}/{p}",
    ),
    (rf"[^/]+(?:/[^/]+){{1,4}}/_(?:workitems/edit|git/[^/]+/pullrequest)/{_N}", None),
    # Asana, Shortcut, ClickUp, Trello
    (r"app\.asana\.com/(?:0/\d{1,20}/\d{1,20}|1/\d{1,20}(?:/[a-z]+/\d{1,20}){1,3})", None),
    (rf"app\.(?:shortcut|clubhouse)\.(?:com|io)/[^/]+/story/{_N}", None),
    (r"app\.clickup\.com/t/(?:\d{1,12}/)?[A-Za-z0-9-]{1,30}", None),
    (r"trello\.com/c/[A-Za-z0-9]{1,20}", None),
    # Gerrit, Launchpad, Trac, Redmine, Bugzilla's and Python's short forms
    (rf"[^/]+(?:/[^/]+){{0,3}}/c/.+?/\+/{_N}", None),
    (rf"[^/]+(?:/[^/]+){{0,3}}/\+bug/{_N}", None),
    (rf"[^/]+(?:/[^/]+){{0,2}}/(?:ticket|issues)/{_N}", None),
    (rf"bug(?:s|zilla)\.[^/]+/(?:issue)?{_N}", None),
)
_COMPILED = [(re.compile(pattern + r"(?=/|$)"), spelling) for pattern, spelling in _FORMS]
# Addresses that name the issue in the query: path with query, and the spelling.
_QUERIES = (
    (
        re.compile(
            rf"(?P<p>[^/]+(?:/[^/]+){{0,3}}/(?:show_bug|bugreport)\.cgi)\?(?:.*&)?(?P<q>(?:id|bug)={_N})\b"
        ),
        "{p}?{q}",
    ),
    (re.compile(rf"(?P<p>[^/]+)/.*[?&]selectedIssue=(?P<key>{_KEY})\b"), "{p}/browse/{key}"),
    (
        re.compile(rf"(?P<p>dev\.azure\.com/[^/]+/[^/]+)/.*[?&]workitem=(?P<n>{_N})\b"),
        "{p}/_workitems/edit/{n}",
    ),
)


def issue_address(url: str) -> str | None:
    """The one spelling of an issue's or pull request's address, None for any other address."""
    match = _PARTS.match(url) if len(url) <= _LIMIT else None
    if match is None or not match["path"]:
        return None
    host = match["host"].lower() + ("" if match["port"] in (None, ":80", ":443") else match["port"])
    place = host + match["path"].rstrip("/")
    forms = _QUERIES if match["query"] else ()
    for text, table in ((place + (match["query"] or ""), forms), (place, _COMPILED)):
        for form, spelling in table:
            if found := form.match(text):
                parts = found.groupdict()
                if "key" in parts:
                    parts["key"] = parts["key"].upper()
                return f"https://{spelling.format(**parts) if spelling else found[0]}"
    return None


def plain_address(url: str) -> str:
    """Any address with its host in lower case and without trailing slash."""
    match = _PARTS.match(url)
    if match is None:
        return url
    return f"https://{match['host'].lower()}{url[match.end('host') :].rstrip('/')}"
