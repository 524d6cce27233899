"""The words of the pages that somebody new has to look up, each with one sentence, and the pages that say them.

A page shows its words below its title, folded. Add: a word that a page uses. Keep out: how figures are computed
(docs/measures.md).
"""

TERMS = {
    "ETV": "Engineering Throughput Value: 1 ETV is about an hour of focused work of an engineer who knows the "
    "repository.",
    "Performance": "ETV for each person and week from 0 to 100; 50 is the average of the year before.",
    "Roadmap": "The part of the ETV whose issues lead to an objective in the tracker.",
    "AI share": "The part of the ETV by commits with a sign of AI: at least so much, because tools can leave none.",
    "Total ETV": "The ETV of all work of whoever stands in the row, with AI or without: of a person, of everybody in a "
    "team or the organization, or of a repository.",
    "Linked ETV": "The ETV of the commits alone to which AI cost is linked. It is a part of total ETV, so AI spend per "
    "linked ETV is mostly higher than per total ETV.",
    "Confidence": "How sure the links of a cost to commits are on average, an estimate: 100 % where the session names "
    "them (that part is certain), 90 % where another session of that day or the vendor does, 60 % for commits of the "
    "same day, and 30 % for those of up to four days later.",
    "Number": "The part of a difference that comes from more or fewer changes of files.",
    "Size": "The part that comes from larger or smaller changes.",
    "Mix": "The part that comes from other shares of the categories, such as fewer features and more fixes.",
    "Rework": "Work that its author took back within two weeks; in a difference, the part from more or less of it.",
    "Rework of a pull request": "The share of its source commits that came after the first review.",
    "Value": "The part of a difference from more or less ETV of the same lines, as fixes of costly bugs have.",
    "Points": "What the new lines of a commit earn by their classes; 58 points are an hour of effort.",
    "CapEx": "Capital expenditure: hours that may be capitalized by the policy. OpEx are the others with output.",
}
OF_TEMPLATE = {
    "overview.html": (
        ("ETV", "Performance", "Roadmap", "AI share", "Total ETV", "Number", "Size", "Mix", "Rework", "Value")
    ),
    "developers.html": ("ETV", "Performance", "Roadmap", "AI share", "Total ETV"),
    "repositories.html": ("ETV", "Performance", "Roadmap", "AI share"),
    "me.html": ("ETV", "Performance", "Roadmap", "AI share"),
    "commits.html": ("ETV",),
    "details/benchmarks.html": ("ETV", "Performance", "Roadmap", "AI share", "Total ETV"),
    "details/commit.html": ("ETV", "Points"),
    "details/developer.html": ("ETV", "Performance", "Roadmap", "AI share", "Total ETV"),
    "details/repository.html": ("ETV", "Performance", "Roadmap", "AI share", "Total ETV"),
    "money/ai.html": ("ETV", "AI share", "Total ETV", "Confidence", "Linked ETV"),
    "money/capex.html": ("CapEx", "ETV"),
    "report.html": ("ETV",),
    "work/objective.html": ("ETV",),
    "work/objectives.html": ("ETV", "Roadmap"),
    "work/pull_request.html": ("ETV", "Rework of a pull request"),
    "work/pull_requests.html": ("ETV", "Rework of a pull request"),
    "work/team.html": ("ETV", "Performance", "Roadmap", "AI share", "Total ETV"),
    "work/teams.html": ("ETV", "Performance", "Roadmap", "AI share"),
}
"""The words of each template, in the order in which they appear."""


def terms_of(template: str) -> list[tuple[str, str]]:
    """The words of a page with their sentences; none for a page that needs none."""
    return [(name, TERMS[name]) for name in OF_TEMPLATE.get(template, ())]
