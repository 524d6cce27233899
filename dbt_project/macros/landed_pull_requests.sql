{#-
  CTEs ending with `landed`: pull requests that a host calls closed although their work came to the default branch, each
  with the commit that ended it. A queue such as bors, an import such as Copybara, and a maintainer who pushes by hand leave
  a pull request closed. They need the CTEs `pull_requests`, `commits`, `facts`, `sources`, `found_by_sha` and
  `found_by_message`.

  A message that mentions the number is not enough: a pull request that another one replaced is mentioned too. So a
  maintainer names the commit in a comment ("Landed in …"), or every source commit has its copy on the default branch, or a
  message names the pull request and two of four signs agree: title, author, changed lines, and the id of a source commit.
  A message more than a week after the close needs three, since another person may have done the same. Work of a merged
  pull request is no other one's.
-#}
{% macro landed_pull_requests() %}
closed as (
    select
        *,
        {{ compared_title('title') }} as compared_title,
        {{ epoch_micros('created_at') }} as first_micros,
        {{ epoch_micros('closed_at') }} + {{ var('pull_request_landing_hours') }} * 3600000000 as usual_micros,
        {{ epoch_micros('closed_at') }} + {{ var('pull_request_late_landing_hours') }} * 3600000000 as last_micros
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

{{ signs_of_landing() }},

-- A comment may abbreviate the commit. The last comment of several corrects the others, and a pull request that was opened
-- again has not landed yet.
reopened as (
    select
        pull_request_id,
        max(happened_at) as reopened_at
    from events
    where kind = 'reopened'
    group by pull_request_id
),

told as (
    select
        closed.pull_request_id,
        facts.repository_id,
        facts.commit_sha,
        facts.position,
        row_number() over (
            partition by closed.pull_request_id order by events.happened_at desc, facts.position desc
        ) as place
    from closed
    inner join events on closed.pull_request_id = events.pull_request_id
    left join reopened on closed.pull_request_id = reopened.pull_request_id
    inner join facts
        on
            closed.repository_id = facts.repository_id
            and substr(events.detail, 1, 7) = substr(facts.commit_sha, 1, 7)
            and substr(facts.commit_sha, 1, length(events.detail)) = events.detail
    where
        events.kind = 'landed'
        and {{ epoch_micros('facts.delivered_at') }} >= closed.first_micros
        and (reopened.reopened_at is null or events.happened_at > reopened.reopened_at)
),

found_landings as (
    select
        pull_request_id,
        commit_sha,
        5 as preference
    from told
    where place = 1
    union all
    select
        pull_request_id,
        commit_sha,
        6 as preference
    from copied
    union all
    select
        pull_request_id,
        commit_sha,
        6 as preference
    from signs
    where agreeing >= case when is_late then 3 else 2 end
),

landings as (
    select
        found_landings.pull_request_id,
        facts.repository_id,
        facts.commit_sha,
        facts.position,
        min(found_landings.preference) as preference
    from found_landings
    inner join closed on found_landings.pull_request_id = closed.pull_request_id
    inner join facts on closed.repository_id = facts.repository_id and found_landings.commit_sha = facts.commit_sha
    group by found_landings.pull_request_id, facts.repository_id, facts.commit_sha, facts.position
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
        preference,
        distance,
        commit_sha,
        position
    from placed
    where place = 1
)
{% endmacro %}
