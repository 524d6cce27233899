"""Issue links: the forms of real projects link to issues, and texts that resemble a key do not."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.categories.labelled_history import LabelledHistory
from tests.validity.claims import Bar, Baseline, Inputs, Missing, NotMeasured, Outcome, Part, Result
from tests.validity.invented_tracker import CONNECTION, compared, tracker
from tests.validity.labelled_sets import Row

CLAIM = "Issue links"
_FALSE, _TRUE = "false_key_strings", "trailer_links"
_KEY = re.compile(r"\b[A-Z][A-Z0-9_]+-\d+")
_HASH = re.compile(r"#(\d+)")
# Forms of an issue number, not keys; they are right in a project with numbered issues.
_NUMBERED = ("GH", "ISSUE", "PR")
_FORMS = {
    "Bugzilla": "Bugzilla ID: {}",
    "Coverity": "Coverity issue: {}",
    "Reported-at": "Reported-at: {}",
    "Submitted-at": "Submitted-at: {}",
    "closing keyword": "Closes #{}",
}
_NO_TRACKER = (
    "whether the issue exists: the sets have no tracker. Taken is one that has every issue of the trailers and closing "
    "keywords, the first thousand numbers of each repository, and keys of no project of these strings."
)

References = Mapping[str, list[tuple[str, str]]]
"""Shape and target of the references of each commit."""


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Forms of links from the rows alone and from the projects' own messages; false keys. Raises Missing."""
    links = labelled_sets.rows(inputs, f"{_TRUE}.csv")
    false = labelled_sets.rows(inputs, f"{_FALSE}.csv")
    yield from _measured(inputs, links, false, "as the rows tell them", _told(links), _told_false(false))
    own, missing = _messages(inputs, links, "sha")
    own_false, missing_false = _messages(inputs, false, "example")
    if any(own) and any(own_false):
        yield from _measured(inputs, links, false, "in the projects' own messages", own, own_false)
    for remedy in sorted(missing | missing_false):
        yield NotMeasured(CLAIM, "the projects' own messages", remedy)


def _told(rows: Sequence[Row]) -> list[str]:
    """The subject, with the link in the form of the project if it lacks one."""
    return [
        row["subject"] if _is_in_subject(row) else f"{row['subject']}\n\nWhy.\n\n{_form(row)}\n"
        for row in rows
    ]


def _is_in_subject(row: Row) -> bool:
    return row["issue_ref"] in _HASH.findall(row["subject"])


def _form(row: Row) -> str:
    return _FORMS[row["link_kind"]].format(row["issue_ref"])


def _told_false(rows: Sequence[Row]) -> list[str]:
    subjects = [row["example"].partition(" ")[2] for row in rows]
    return [
        subject if row["string"] in subject else f"{subject}\n\nThis is about {row['string']}.\n"
        for row, subject in zip(rows, subjects, strict=True)
    ]


def _messages(inputs: Inputs, rows: Sequence[Row], column: str) -> tuple[list[str], set[str]]:
    """The commits' messages in their repositories, empty where unknown, and what to do about missing repositories."""
    names = [row[column].partition(" ")[0] for row in rows]
    found: dict[tuple[str, str], str] = {}
    remedies = set()
    for repo in {row["repo"] for row in rows}:
        own = [name for name, row in zip(names, rows, strict=True) if row["repo"] == repo]
        try:
            known = labelled_sets.messages(labelled_sets.repository(inputs, repo), own)
        except Missing as missing:
            remedies.add(str(missing))
        else:
            found |= {(repo, name): message for name, message in known.items()}
    return [found.get((row["repo"], name), "") for name, row in zip(names, rows, strict=True)], remedies


def _measured(
    inputs: Inputs,
    links: Sequence[Row],
    false: Sequence[Row],
    where: str,
    messages: Sequence[str],
    false_messages: Sequence[str],
) -> Iterator[Outcome]:
    folder = inputs.work / where.replace(" ", "-").replace("'", "")
    true_history, false_history = (LabelledHistory(folder / f"{name}.git") for name in ("true", "false"))
    of_links = [true_history.say(message or "Change") for message in messages]
    of_false = [false_history.say(message or "Change") for message in false_messages]
    repositories = {"true": true_history.finish(), "false": false_history.finish()}
    found = analyse(
        repositories,
        folder / "analysed",
        select=["stg_git__commits", "+int_alignment__links"],
        items=lambda ids: {CONNECTION: tracker(ids, links)},
    )
    references = _references(found)
    known = [n for n, message in enumerate(messages) if message]
    linked = _linked(found)
    yield _resolved(
        [links[n] for n in known], [linked[of_links[n]] for n in known], where, found.calculation_version
    )
    yield _foreign(
        [messages[n] for n in known], [linked[of_links[n]] for n in known], where, found.calculation_version
    )
    yield _recall(
        [links[n] for n in known],
        [messages[n] for n in known],
        [references[of_links[n]] for n in known],
        where,
        found.calculation_version,
    )
    known = [n for n, message in enumerate(false_messages) if message]
    yield _wrong(
        [false[n] for n in known],
        [false_messages[n] for n in known],
        [references[of_false[n]] for n in known],
        [linked[of_false[n]] for n in known],
        where,
        found.calculation_version,
    )


def _linked(found: Analysed) -> Mapping[str, set[str]]:
    """Ids of the linked items at the provider by commit."""
    by_commit: dict[str, set[str]] = defaultdict(set)
    query = """
        select links.commit_sha, items.provider_id from int_alignment__links as links
        join stg_trackers__items as items using (item_id)
    """
    for row in found.rows(query):
        by_commit[row["commit_sha"]].add(row["provider_id"])
    return by_commit


def _resolved(rows: Sequence[Row], linked: Sequence[set[str]], where: str, version: str) -> Result:
    hits = []
    for row, own in zip(rows, linked, strict=True):
        ref = row["issue_ref"]
        hits.append((f"true#{ref}" if ref.isdigit() else compared(ref) if "://" in ref else ref) in own)
    return Result(
        CLAIM,
        f"commits linked to their issue, {where}",
        _TRUE,
        len(rows),
        "commit",
        bootstrap.mean(hits),
        bootstrap.share(hits),
        version,
        can_show="whether a commit belongs to the issue that its trailer or closing keyword names, if that exists.",
        cannot_show=_NO_TRACKER,
        bar=Bar(at_least=0.98),
        baselines=(),
    )


def _foreign(messages: Sequence[str], linked: Sequence[set[str]], where: str, version: str) -> Result:
    """Links to an issue of which neither the number nor the address stands in the message."""
    wrong = [
        f"{subject[:60]!r} to {one}"
        for message, own in zip(messages, linked, strict=True)
        for subject, told in [(message.partition("\n")[0], message.lower())]
        for one in sorted(own)
        if not _is_told(one, told)
    ]
    return Result(
        CLAIM,
        f"links to another issue, {where}",
        _TRUE,
        len(messages),
        "commit",
        float(len(wrong)),
        None,
        version,
        can_show="whether a commit belongs to an issue that its message does not name.",
        cannot_show="whether the people who wrote the message meant the issue.",
        bar=Bar(at_most=0),
        baselines=(),
        notes=(f"Linked: {'; '.join(wrong[:5]) or 'none'}.",),
        is_count=True,
    )


def _is_told(item: str, message: str) -> bool:
    number = item.removeprefix("true#")
    if number.isdigit():
        return re.search(rf"(?<!\d){number}(?!\d)", message) is not None
    return item.lower() in message


def _references(found: Analysed) -> References:
    by_commit: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in found.rows("select commit_sha, shape, target from raw_references"):
        by_commit[row["commit_sha"]].append((row["shape"], row["target"]))
    return by_commit


def _recall(
    rows: Sequence[Row],
    messages: Sequence[str],
    references: Sequence[list[tuple[str, str]]],
    where: str,
    version: str,
) -> Result:
    hits = [_is_linked(row, found) for row, found in zip(rows, references, strict=True)]
    plain = [row["issue_ref"] in _HASH.findall(message) for row, message in zip(rows, messages, strict=True)]
    keys = [f"{row['repo']}, {row['link_kind']}" for row in rows]

    def part(key: str) -> Part:
        own = [n for n, of in enumerate(keys) if of == key]
        shares = [bootstrap.mean([values[n] for n in own]) for values in (hits, plain)]
        return Part(key, len(own), shares[0], bootstrap.share([hits[n] for n in own]), (shares[1],))

    return Result(
        CLAIM,
        f"forms found, {where}",
        _TRUE,
        len(rows),
        "commit",
        bootstrap.mean(hits),
        bootstrap.share(hits),
        version,
        can_show="whether the reference that a project's trailer or closing keyword makes is found and read right.",
        cannot_show=_NO_TRACKER,
        bar=Bar(at_least=0.98),
        baselines=(Baseline("# and a number", bootstrap.mean(plain)),),
        parts=tuple(part(key) for key in sorted(set(keys))),
    )


def _is_linked(row: Row, references: Sequence[tuple[str, str]]) -> bool:
    wanted = compared(row["issue_ref"])
    return any(compared(target) == wanted for _, target in references)


def _wrong(
    rows: Sequence[Row],
    messages: Sequence[str],
    references: Sequence[list[tuple[str, str]]],
    items: Sequence[set[str]],
    where: str,
    version: str,
) -> Result:
    linked = [
        row["string"]
        for row, found, own in zip(rows, references, items, strict=True)
        if _is_falsely_linked(row, found, own)
    ]
    candidates = sum(
        ("key", row["string"].upper()) in found for row, found in zip(rows, references, strict=True)
    )
    plain = sum(row["string"] in _KEY.findall(message) for row, message in zip(rows, messages, strict=True))
    return Result(
        CLAIM,
        f"false keys linked, {where}",
        _FALSE,
        len(rows),
        "string",
        float(len(linked)),
        None,
        version,
        can_show="whether standards, encodings and parts of names become links.",
        cannot_show=_NO_TRACKER,
        bar=Bar(at_most=0),
        baselines=(Baseline("bare key pattern", float(plain)),),
        notes=(
            (
                f"{candidates:,} of {len(rows):,} strings are kept as candidates, to count where a connected tracker "
                f"has such an issue. GH-, ISSUE- and PR- with a number name a numbered issue and are no false keys. "
                f"Linked: {', '.join(sorted(linked)) or 'none'}."
            ),
        ),
        is_count=True,
    )


def _is_falsely_linked(row: Row, references: Sequence[tuple[str, str]], items: set[str]) -> bool:
    """Whether the text links to an issue: of a tracker without keys by its number, or of one with keys."""
    if row["prefix"] in _NUMBERED:
        return False
    number = row["string"].rpartition("-")[2]
    is_number = any(shape not in ("key", "sha") and target == number for shape, target in references)
    return is_number or f"false#{number}" in items or any(one.startswith("ABC-") for one in items)
