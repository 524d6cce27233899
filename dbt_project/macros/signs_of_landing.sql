{#-
  CTEs ending with `signs`: commits whose message names a closed pull request, and how many of four signs agree: title,
  author, changed lines, and the id of a source commit. They need the CTEs `pull_requests`, `commits`, `facts`, `closed`,
  `closed_sources` and `source_counts`.
-#}
{% macro signs_of_landing() %}
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
        {{ epoch_micros('facts.committed_at') }} > closed.usual_micros as is_late,
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
        bool_or(named_landings.is_late) as is_late,
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
)
{% endmacro %}
