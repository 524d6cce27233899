"""Objectives, issues and their links to commits as callers see them who may not read all work.

An objective or issue has the figures of visible work. Ids of hidden items stay in visible rows, because they open
nothing; their titles, keys and addresses do not stay. Only team_lead_rows.py and self_rows.py use this module.
"""

from api.presentation.usage_measures import mean_confidence

_OF_AN_ITEM = ("item_key", "item_title", "item_type_name", "item_status_category", "item_url")
# The cost of links, and their mean confidence.
_COST = (
    f"sum(ai_cost_nano) as nano, {mean_confidence('ai_cost_nano', 'ai_cost_confidence_micro')} as confidence"
)


def objectives(visible: str, work: str) -> str:
    """A query for the objectives under the condition `visible`, with figures of the work under the condition `work`.

    `parent_id` and `child_count` are those among visible objectives.
    """
    return (
        f"with visible as (select * from objectives where {visible}), "
        "work as (select objective_id, sum(etv_micro)::bigint as etv_micro, sum(commits)::bigint as commits, "
        "count(distinct developer_id) as people, min(delivered_on) as first_day, max(delivered_on) as last_day "
        f"from objective_days where not is_bot and not is_sandbox and {work} group by objective_id), "
        "children as (select parent_id as objective_id, count(*) as number from visible group by parent_id), "
        "reached as (select unnest(list_distinct([item_id, sub_objective_id, objective_id])) as objective_id, "
        f"ai_cost_nano, ai_cost_confidence_micro from commit_issues where is_counted and not is_sandbox and {work}), "
        f"costs as (select objective_id, {_COST} from reached group by objective_id) "
        "select visible.* replace (case when visible.parent_id in (select objective_id from visible) "
        "then visible.parent_id end as parent_id, coalesce(children.number, 0) as child_count, "
        "coalesce(work.etv_micro, 0) as etv_micro, coalesce(work.commits, 0) as commits, "
        "round(costs.nano / 1000)::bigint as ai_cost_micro, costs.confidence as ai_cost_confidence_micro, "
        "coalesce(work.people, 0) as contributor_count, "
        "work.first_day as first_delivered_on, "
        "work.last_day as last_delivered_on) "
        "from visible left join work on work.objective_id = visible.objective_id "
        "left join children on children.objective_id = visible.objective_id "
        "left join costs on costs.objective_id = visible.objective_id"
    )


def issues(visible: str, work: str) -> str:
    """A query for the issues under the condition `visible`, with figures of the work under the condition `work`."""
    return (
        "with work as (select item_id, sum(etv_micro)::bigint as etv_micro, count(*) as commits, "
        f"{_COST}, min(delivered_on) as first_day, max(delivered_on) as last_day "
        f"from commit_issues where is_counted and not is_sandbox and {work} group by item_id) "
        "select issues.* replace (coalesce(work.etv_micro, 0) as etv_micro, coalesce(work.commits, 0) as commits, "
        "round(work.nano / 1000)::bigint as ai_cost_micro, work.confidence as ai_cost_confidence_micro, "
        "work.first_day as first_delivered_on, work.last_day as last_delivered_on) "
        "from issues left join work on work.item_id = issues.issue_id "
        f"where {visible}"
    )


def commit_issues(work: str, seen_objectives: str, seen_issues: str) -> str:
    """A query for the links of commits under the condition `work`, without the texts of hidden items."""
    is_seen = (
        f"(item_id in (select issue_id from ({seen_issues})) "
        f"or item_id in (select objective_id from ({seen_objectives})))"
    )
    texts = [f"case when {is_seen} then {column} end as {column}" for column in _OF_AN_ITEM]
    texts += [
        f"case when {level}_id in (select objective_id from ({seen_objectives})) "
        f"then {level}_title end as {level}_title"
        for level in ("sub_objective", "objective")
    ]
    return f"select * replace ({', '.join(texts)}) from commit_issues where {work}"
