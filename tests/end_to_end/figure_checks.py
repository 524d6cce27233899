"""Checks that compare answers of the API with Git. Each raises AssertionError for a difference."""

from collections import Counter
from datetime import datetime
from typing import Any

from tests.end_to_end.git_figures import GitCommit, GitHistory
from tests.end_to_end.read_surface import PREFIX, ReadSurface

# Metrics that add up over any split of the same days.
ADDITIVE = (
    "etv", "featuresEtv", "maintenanceEtv", "testsEtv", "documentationEtv", "fixesEtv", "effort", "points", "commits",
    "aiCommits", "files", "linesAdded", "linesDeleted",
)  # fmt: skip
Sums = dict[str, int]


def check_messages(surface: ReadSurface, history: GitHistory) -> None:
    """Every commit that a branch or tag reaches, its parents, author, times and subject."""
    found = {
        commit["sha"]: (
            commit["parentShas"],
            commit["authorName"],
            commit["authorEmail"],
            commit["authoredAt"],
            commit["committedAt"],
            commit["subject"],
            commit["isMerge"],
        )
        for commit in commits(surface, history)
    }
    expected = {
        one.sha: (
            one.parents,
            one.author_name,
            one.author_email,
            shown(one.authored_at),
            shown(one.committed_at),
            one.subject,
            len(one.parents) > 1,
        )
        for one in history.commits.values()
    }
    assert_same(found, expected)


def check_sizes(surface: ReadSurface, history: GitHistory) -> None:
    """Files and lines of every commit, as `git log --numstat` counts them."""
    found = {
        commit["sha"]: (commit["filesChanged"], commit["linesAdded"], commit["linesDeleted"])
        for commit in commits(surface, history)
    }
    assert_same(found, {one.sha: (one.files, one.added, one.deleted) for one in history.commits.values()})


def check_deliveries(surface: ReadSurface, history: GitHistory) -> None:
    """The step of the mainline that brought each commit, and when."""
    found = {
        commit["sha"]: (commit["deliverySha"], commit["deliveredAt"], commit["deliveredOn"])
        for commit in commits(surface, history)
    }
    expected = {
        one.sha: (one.delivery, shown(one.delivered_at), one.delivered_at and str(one.delivered_at.date()))
        for one in history.commits.values()
    }
    assert_same(found, expected)


def check_days(surface: ReadSurface, history: GitHistory) -> None:
    """Commits per author and day on the mainline, each day and developer asked for by itself."""
    mainline = [one for one in history.delivered if one.sha == one.delivery]
    expected = Counter((one.author_email, day_of(one)) for one in mainline)
    people = {commit["authorEmail"]: commit["developerId"] for commit in commits(surface, history)}
    found: Counter[tuple[str, str]] = Counter()
    for email, day in expected:
        days = {"startDate": day, "endDate": day, "developer": people[email]}
        listed = surface.every("/commits", repository=repository(surface, history)["id"], **days)
        on_mainline = [commit for commit in listed if commit["sha"] == commit["deliverySha"]]
        found[email, day] = sum(commit["authorEmail"] == email for commit in on_mainline)
    assert_same(found, expected)
    assert len(mainline) == sum(
        commit["sha"] == commit["deliverySha"] for commit in commits(surface, history)
    )


def check_repository(surface: ReadSurface, history: GitHistory) -> None:
    """Totals of the repository, and its first and last delivery."""
    row = repository(surface, history)
    times = sorted(one.delivered_at for one in history.delivered if one.delivered_at)
    names = ("commitCount", "deliveredCommitCount", "firstDeliveredAt", "lastDeliveredAt", "isShallow")
    expected = (len(history.commits), len(times), shown(times[0]), shown(times[-1]), False)
    assert tuple(row[name] for name in names) == expected
    single = surface.client.get(f"{surface.root}/repositories/{row['id']}", params=surface.days).json()
    assert {name: single[name] for name in row} == row


def check_reasons(surface: ReadSurface, history: GitHistory) -> None:
    """The totals of `zeroReasons` cover all delivered commits, of which some count.

    A file that a merge moves while a branch changes it has a row under each path: the former is not in the delivery.
    A merge adds the lines that no parent has: none to all of those that `git log --numstat` shows for it.
    """
    answer = surface.ask(f"{PREFIX}/zeroReasons", repository=repository(surface, history)["id"]).json()
    delivered = history.delivered
    assert answer["total"]["commits"] == len(delivered)
    files = sum(one.files for one in delivered)
    moved = sum(one["files"] for one in answer["zeroReasons"] if one["zeroReason"] == "NOT_IN_DELIVERY")
    assert files <= answer["total"]["files"] <= files + moved
    own = answer["total"]["linesAdded"] - sum(one.added for one in delivered if len(one.parents) < 2)
    assert 0 <= own <= sum(one.added for one in delivered if len(one.parents) > 1)
    assert answer["counted"]["commits"] == sum(commit["isCounted"] for commit in commits(surface, history))


def check_counted_days(surface: ReadSurface, history: GitHistory) -> None:
    """The daily figures of each developer have the commits that the list counts, on Git's days."""
    counted = {
        commit["sha"]: commit["developerId"] for commit in commits(surface, history) if commit["isCounted"]
    }
    expected = Counter((who, day_of(history.commits[sha])) for sha, who in counted.items())
    days = sorted(day_of(one) for one in history.delivered)
    answer = surface.ask(
        f"{PREFIX}/metrics",
        repository=repository(surface, history)["id"],
        interval="DAY",
        groupBy="DEVELOPER",
        startDate=days[0],
        endDate=days[-1],
    ).json()
    assert answer["interval"] == "DAY", "more days than points: take another history"
    found = Counter(
        {
            (line["key"], point["start"]): point["commits"]
            for line in answer["series"]
            for point in line["points"]
            if point["commits"]
        }
    )
    assert_same(found, expected)


def check_files(surface: ReadSurface, history: GitHistory, most: int = 30) -> None:
    """The files of a delivered commit are Git's, and their scores add up to the commit's; others have none yet.

    A file that a merge moves has a row under each path: the former is not in the delivery. A merge has a row without
    points for a file in which only blank lines differ from those of its branch.
    """
    newest = sorted(commits(surface, history), key=lambda commit: str(commit["deliveredAt"]))[-most:]
    scored = 0
    for commit in newest:
        path = f"/commits/{commit['id']}"
        one = surface.client.get(f"{surface.root}{path}").json()
        files = surface.below(f"{path}/files")
        shown_by_git = history.commits[commit["sha"]]
        expected = shown_by_git.paths if shown_by_git.delivery else set()
        paths = {file["path"] for file in files}
        left = {file["path"] for file in files if file["zeroReason"] == "NOT_IN_DELIVERY"}
        assert expected <= paths
        more = {file["path"] for file in files if file["pointsMicros"]} - expected
        assert len(more) <= len(expected & left), (commit["sha"], more)
        assert one["files"] == files
        for name in ("points", "effort", "etv"):
            assert sum(file[f"{name}Micros"] for file in files) == micro(commit[name]), (commit["sha"], name)
        scored += any(file["etvMicros"] for file in files)
    assert scored


def check_totals(surface: ReadSurface) -> Sums:
    """Every split of the same days adds up to the same totals; the totals."""
    [total] = series(surface, interval="YEAR")
    splits = {
        "months": series(surface, interval="MONTH"),
        "quarters": series(surface, interval="QUARTER"),
        "weeks": series(surface, interval="WEEK"),
        "repositories": series(surface, groupBy="REPOSITORY"),
        "developers": series(surface, groupBy="DEVELOPER"),
        "categories": series(surface, groupBy="CATEGORY", categoryGrouping="FIVE"),
        "list of repositories": [sums(surface.every("/repositories"))],
        "list of developers": [sums(surface.every("/developers"))],
        "totals of repositories": [sums([surface.ask(f"{PREFIX}/repositories").json()["totals"]])],
        "totals of developers": [sums([surface.ask(f"{PREFIX}/developers").json()["totals"]])],
    }
    whole = added([total])
    assert {name: added(rows) for name, rows in splits.items()} == dict.fromkeys(splits, whole)
    return whole


def check_reports(surface: ReadSurface) -> None:
    """The commits, the report of months, the movements and the reasons add up to the totals of the metrics."""
    whole = check_totals(surface)
    listed = [one for one in surface.every("/commits") if one["isCounted"] and not one["isBot"]]
    for name in ("etv", "effort", "points", "featuresEtv", "fixesEtv"):
        assert sum(micro(one[name]) for one in listed) == whole[name], name
    assert len(listed) == whole["commits"] // 10**6
    months = surface.every("/capex")
    for name in ("etv", "effort", "commits"):
        assert sum(micro(row[name]) for row in months) == whole[name], name
    moved = surface.every("/movements", entity="ORGANIZATION", interval="YEAR")
    assert moved
    years = {point["start"]: micro(point["etv"]) for point in points(surface, interval="YEAR")}
    for row in moved:
        before = f"{int(row['periodStart'][:4]) - 1}-01-01"
        assert (micro(row["etv"]), micro(row["previousEtv"])) == (years[row["periodStart"]], years[before])
    reasons = surface.ask(f"{PREFIX}/zeroReasons").json()
    assert reasons["counted"]["commits"] == whole["commits"] // 10**6


def points(surface: ReadSurface, **query: str) -> list[dict[str, Any]]:
    """The points of the total."""
    [line] = surface.ask(f"{PREFIX}/metrics", **query).json()["series"]
    found: list[dict[str, Any]] = line["points"]
    return found


def series(surface: ReadSurface, **query: str) -> list[Sums]:
    """The sums of each line of a time series."""
    answer = surface.ask(f"{PREFIX}/metrics", **query)
    assert answer.status_code == 200, answer.text
    return [sums(line["points"]) for line in answer.json()["series"]]


def sums(rows: list[dict[str, Any]]) -> Sums:
    """Sums of the additive metrics, in millionths, so that they are exact."""
    # Commits with AI are null where nothing shows any usage.
    return {name: sum(micro(row[name] or 0) for row in rows) for name in ADDITIVE}


def added(rows: list[Sums]) -> Sums:
    """Sums of sums."""
    return {name: sum(row[name] for row in rows) for name in ADDITIVE}


def commits(surface: ReadSurface, history: GitHistory) -> list[dict[str, Any]]:
    """The list of a repository's commits, delivered or not."""
    return surface.every(
        "/commits", repository=repository(surface, history)["id"], startDate=None, endDate=None
    )


def repository(surface: ReadSurface, history: GitHistory) -> dict[str, Any]:
    """The repository in the list of them."""
    [found] = [row for row in surface.every("/repositories") if row["name"] == history.name]
    return found


def micro(value: float) -> int:
    """Millionths, which the service reckons in."""
    return round(value * 1e6)


def shown(time: datetime | None) -> str | None:
    """A time as JSON has it."""
    return None if time is None else time.isoformat().replace("+00:00", "Z")


def day_of(commit: GitCommit) -> str:
    """The day of the delivery."""
    assert commit.delivered_at is not None
    return str(commit.delivered_at.date())


def assert_same(found: dict[Any, Any], expected: dict[Any, Any]) -> None:
    """Equal; otherwise says where, a few times."""
    differ = [key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)]
    assert not differ, [(key, found.get(key), expected.get(key)) for key in sorted(differ, key=str)[:5]]
