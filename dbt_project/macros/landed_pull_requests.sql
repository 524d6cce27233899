{#- A title as people and queues change it: without case, the number, and the words that bors and imports put before it. -#}
{% macro compared_title(title) -%}
{{ replaced(
    "lower(trim(" ~ title ~ "))",
    pattern_text(
        '^(\\[merged by [a-z-]+\\] *-? *|(pr|pull request|merge request)? *[#!][0-9]+ *:? *)+'
        ~ '|( *\\((pr |pull request )?[#!][0-9]+\\))+$|[ .…]+$'
    ),
    "''"
) }}
{%- endmacro %}

{#- `owner/name#number` of the address of a pull request; empty for any other one. -#}
{% macro address_of_request(address) -%}
{%- set form = pattern_text('^https?:/{2}[^/]+/(.+?)/(-/)?(pull|pulls|merge_requests|pull-requests|pullrequest)/([0-9]+)') -%}
case
    when {{ matches(address, form) }}
        then concat(lower({{ first_match(address, form, 1) }}), '#', {{ first_match(address, form, 4) }})
    else ''
end
{%- endmacro %}

{#-
  CTEs ending with `landed`: pull requests that a host calls closed although their work came to the default branch, each
  with the commit that ended it. A queue such as bors, an import such as Copybara, and a maintainer who pushes by hand leave
  a pull request closed. They need the CTEs `pull_requests`, `commits`, `facts`, `sources`, `found_by_sha` and
  `found_by_message`.

  A message that mentions the number is not enough: a pull request that another one replaced is mentioned too. So either
  every source commit has its copy on the default branch, or a message names the pull request and two of four signs agree:
  title, author, changed lines, and the id of a source commit. Work of a merged pull request is no other one's.
-#}
{% macro landed_pull_requests() %}
closed as (
    select
        *,
        {{ compared_title('title') }} as compared_title,
        {{ epoch_micros('created_at') }} as first_micros,
        {{ epoch_micros('closed_at') }} + {{ var('pull_request_landing_hours') }} * 3600000000 as last_micros
    from pull_requests
    where state = 'closed' and closed_at is not null
),

closed_sources as (
    select
        sources.*,
        {{ compared_title('sources.subject') }} as compared_title,
        commits.lines_added,
        commits.lines_deleted
    from sources
    inner join closed on sources.pull_request_id = closed.pull_request_id
    left join commits on sources.repository_id = commits.repository_id and sources.source_sha = commits.commit_sha
    where not sources.is_merge
),

source_counts as (
    select
        pull_request_id,
        count(*) as sources,
        case when count(lines_added) = count(*) then sum(lines_added) end as lines_added,
        case when count(lines_deleted) = count(*) then sum(lines_deleted) end as lines_deleted
    from closed_sources
    group by pull_request_id
),

-- A copy that is older than the pull request is what a backport copies. A commit on another branch is delivered later.
copies as (
    select
        closed.pull_request_id,
        facts.commit_sha,
        facts.position,
        closed_sources.source_number
    from closed
    inner join closed_sources on closed.pull_request_id = closed_sources.pull_request_id
    inner join facts
        on
            closed_sources.repository_id = facts.repository_id
            and closed_sources.author_address = facts.author_address
            and closed_sources.authored_at = facts.authored_at
            and closed_sources.subject = facts.subject
    where
        closed_sources.author_address <> ''
        and not facts.is_merge
        and {{ epoch_micros('facts.delivered_at') }} >= closed.first_micros
        and (
            {{ epoch_micros('facts.committed_at') }} between closed.first_micros and closed.last_micros
            or closed_sources.source_sha = facts.commit_sha
        )
),

copied as (
    select
        copies.pull_request_id,
        max_by(copies.commit_sha, copies.position) as commit_sha
    from copies
    inner join source_counts on copies.pull_request_id = source_counts.pull_request_id
    group by copies.pull_request_id
    having count(distinct copies.source_number) = max(source_counts.sources)
),

closed_names as (
    select
        pull_request_id,
        repository_id,
        cast(number as {{ dbt.type_string() }}) as name
    from closed
    union all
    select
        pull_request_id,
        repository_id,
        {{ address_of_request('url') }} as name
    from closed
),

written_names as (
    select
        repository_id,
        commit_sha,
        case
            when shape = 'url' then {{ address_of_request('target') }}
            else lower(target)
        end as name
    from {{ ref('stg_git__references') }}
    where found_in in ('subject', 'body', 'trailer') and shape in ('number', 'gh', 'qualified', 'url')
    union all
    select
        repository_id,
        commit_sha,
        pull_request as name
    from facts
    where commit_sha = delivery_sha and pull_request is not null
),

mentioned as (
    select distinct
        closed_names.pull_request_id,
        closed_names.repository_id,
        written_names.commit_sha
    from closed_names
    inner join written_names
        on closed_names.repository_id = written_names.repository_id and closed_names.name = written_names.name
    where closed_names.name <> ''
),

numbered as (
    select
        facts.repository_id,
        facts.commit_sha,
        pull_requests.pull_request_id
    from facts
    inner join pull_requests
        on
            facts.repository_id = pull_requests.repository_id
            and facts.pull_request = cast(pull_requests.number as {{ dbt.type_string() }})
    where facts.commit_sha = facts.delivery_sha
),

-- A subject that ends with the number of another pull request is of that one.
named_landings as (
    select
        mentioned.pull_request_id,
        mentioned.repository_id,
        mentioned.commit_sha,
        facts.position,
        facts.author_address,
        {{ compared_title('facts.subject') }} as compared_title,
        lower(coalesce(commits.body, '')) as body,
        commits.lines_added,
        commits.lines_deleted,
        closed.compared_title as wanted_title,
        coalesce(closed.lines_added, source_counts.lines_added) as wanted_added,
        coalesce(closed.lines_deleted, source_counts.lines_deleted) as wanted_deleted
    from mentioned
    inner join closed on mentioned.pull_request_id = closed.pull_request_id
    inner join facts on mentioned.repository_id = facts.repository_id and mentioned.commit_sha = facts.commit_sha
    inner join commits on mentioned.repository_id = commits.repository_id and mentioned.commit_sha = commits.commit_sha
    left join source_counts on mentioned.pull_request_id = source_counts.pull_request_id
    left join numbered
        on mentioned.repository_id = numbered.repository_id and mentioned.commit_sha = numbered.commit_sha
    where
        not facts.is_merge
        and coalesce(numbered.pull_request_id, mentioned.pull_request_id) = mentioned.pull_request_id
        and {{ epoch_micros('facts.committed_at') }} between closed.first_micros and closed.last_micros
),

signs as (
    select
        named_landings.pull_request_id,
        named_landings.repository_id,
        named_landings.commit_sha,
        max(named_landings.position) as position,
        max(
            case
                when
                    named_landings.compared_title <> ''
                    and named_landings.compared_title in (named_landings.wanted_title, closed_sources.compared_title)
                    then 1
                else 0
            end
        )
        + max(
            case
                when
                    closed_sources.author_address <> ''
                    and (
                        named_landings.author_address = closed_sources.author_address
                        or position(closed_sources.author_address in named_landings.body) > 0
                    )
                    then 1
                else 0
            end
        )
        + max(case when position(lower(closed_sources.source_sha) in named_landings.body) > 0 then 1 else 0 end)
        + max(
            case
                when
                    named_landings.lines_added + named_landings.lines_deleted > 0
                    and abs(named_landings.lines_added - named_landings.wanted_added)
                    <= {{ var('pull_request_line_tolerance') }} * named_landings.wanted_added
                    and abs(named_landings.lines_deleted - named_landings.wanted_deleted)
                    <= {{ var('pull_request_line_tolerance') }} * named_landings.wanted_deleted
                    then 1
                else 0
            end
        ) as agreeing
    from named_landings
    left join closed_sources on named_landings.pull_request_id = closed_sources.pull_request_id
    group by named_landings.pull_request_id, named_landings.repository_id, named_landings.commit_sha
),

landings as (
    select
        copied.pull_request_id,
        facts.repository_id,
        facts.commit_sha,
        facts.position
    from copied
    inner join closed on copied.pull_request_id = closed.pull_request_id
    inner join facts on closed.repository_id = facts.repository_id and copied.commit_sha = facts.commit_sha
    union distinct
    select
        pull_request_id,
        repository_id,
        commit_sha,
        position
    from signs
    where agreeing >= 2
),

merged_ends as (
    select
        pull_request_id,
        commit_sha
    from found_by_sha
    union all
    select
        pull_request_id,
        commit_sha
    from found_by_message
),

-- A merge brings its side of the history; elsewhere the source commits and their copies are the pull request's.
owned as (
    select
        case when pull_requests.is_from_fork then '' else pull_requests.source_branch end as source_branch,
        landings.repository_id,
        landings.commit_sha
    from merged_ends
    inner join pull_requests on merged_ends.pull_request_id = pull_requests.pull_request_id
    inner join facts as ends
        on pull_requests.repository_id = ends.repository_id and merged_ends.commit_sha = ends.commit_sha
    inner join facts
        on
            ends.repository_id = facts.repository_id
            and ends.delivery_sha = facts.delivery_sha
            and (facts.commit_sha = ends.commit_sha or (ends.is_merge and ends.commit_sha = ends.delivery_sha))
    inner join landings on facts.repository_id = landings.repository_id and facts.commit_sha = landings.commit_sha
    union distinct
    select
        case when pull_requests.is_from_fork then '' else pull_requests.source_branch end as source_branch,
        landings.repository_id,
        landings.commit_sha
    from landings
    inner join facts on landings.repository_id = facts.repository_id and landings.commit_sha = facts.commit_sha
    inner join sources
        on
            facts.repository_id = sources.repository_id
            and facts.author_address = sources.author_address
            and facts.authored_at = sources.authored_at
            and facts.subject = sources.subject
    inner join pull_requests on sources.pull_request_id = pull_requests.pull_request_id
    where pull_requests.state = 'merged'
),

-- A release brings the work of many pull requests that were made for its branch, and replaces none of them.
free as (
    select
        landings.*,
        closed.number,
        abs(
            {{ epoch_micros('facts.committed_at') }} - {{ epoch_micros('closed.closed_at') }}
        ) as distance
    from landings
    inner join closed on landings.pull_request_id = closed.pull_request_id
    inner join facts on landings.repository_id = facts.repository_id and landings.commit_sha = facts.commit_sha
    left join owned
        on
            landings.repository_id = owned.repository_id
            and landings.commit_sha = owned.commit_sha
            and owned.source_branch <> closed.target_branch
    where owned.commit_sha is null
),

-- The later of two pull requests with the same work replaced the earlier one.
placed as (
    select
        *,
        row_number() over (partition by repository_id, commit_sha order by number desc) as place
    from free
),

landed as (
    select
        pull_request_id,
        5 as preference,
        distance,
        commit_sha,
        position
    from placed
    where place = 1
)
{% endmacro %}
