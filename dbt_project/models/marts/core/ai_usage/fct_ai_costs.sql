-- Counted cost by the commits for which the tools were used. The first way that finds commits counts:
-- 1. the session names them;
-- 2. another session of the person, tool and day names them, or the vendor's report of the tool's lines does;
-- 3. the person wrote them on the day;
-- 4. the person wrote them on the next day with commits, a few days later at most.
-- Where the session names a repository, only its commits count in the last two ways.
-- The commits of one way share the cost equally, to the last billionth.

with usage as (
    select * from {{ ref('fct_ai_usage') }}
),

sessions as (
    select * from {{ ref('int_ai_usage__sessions') }}
),

places as (
    select * from {{ ref('int_ai_usage__session_repositories') }}
),

reported as (
    select * from {{ ref('int_ai_usage__commits') }}
    where developer_id is not null
),

commits as (
    select
        commit_id,
        commit_sha,
        repository_id
    from {{ ref('int_commits') }}
),

authored as (
    select
        authored.*,
        commits.repository_id
    from {{ ref('int_ai_usage__authored') }} as authored
    inner join commits on authored.commit_sha = commits.commit_sha
),

spent as (
    select
        min(usage.usage_id) as unit_id,
        usage.used_on,
        usage.tool,
        usage.developer_id,
        usage.team_id,
        usage.session_id,
        usage.cost_currency,
        -- Empty where the session names none.
        coalesce(max(places.repository_id), '') as place,
        {{ capped_sum('usage.cost_nano') }} as cost_nano
    from usage
    left join places on usage.tool = places.tool and usage.session_id = places.session_id
    where usage.counts_cost
    group by usage.used_on, usage.tool, usage.developer_id, usage.team_id, usage.session_id, usage.cost_currency
),

-- The commits of a day in one repository, and in all.
written as (
    select
        developer_id,
        authored_on,
        commit_sha,
        repository_id as place
    from authored
    union all
    select
        developer_id,
        authored_on,
        commit_sha,
        '' as place
    from authored
),

named_on_days as (
    select
        usage.developer_id,
        usage.tool,
        usage.used_on,
        sessions.commit_sha
    from usage
    inner join sessions on usage.tool = sessions.tool and usage.session_id = sessions.session_id
    where usage.developer_id is not null
    union
    select
        developer_id,
        tool,
        committed_on as used_on,
        commit_sha
    from reported
),

days as (
    select distinct
        developer_id,
        place,
        used_on
    from spent
    where developer_id is not null
),

following as (
    select
        developer_id,
        place,
        used_on,
        {{ each(all_dates(plus_days('used_on', 1), plus_days('used_on', var('ai_link_days')))) }} as moment
    from days
),

next_days as (
    select
        following.developer_id,
        following.place,
        following.used_on,
        min(written.authored_on) as authored_on
    from following
    inner join written
        on
            following.developer_id = written.developer_id
            and following.place = written.place
            and cast(following.moment as date) = written.authored_on
    group by following.developer_id, following.place, following.used_on
),

found as (
    select
        spent.unit_id,
        sessions.commit_sha,
        1 as way
    from spent
    inner join sessions on spent.tool = sessions.tool and spent.session_id = sessions.session_id
    union all
    select
        spent.unit_id,
        named_on_days.commit_sha,
        2 as way
    from spent
    inner join named_on_days
        on
            spent.developer_id = named_on_days.developer_id
            and spent.tool = named_on_days.tool
            and spent.used_on = named_on_days.used_on
    union all
    select
        spent.unit_id,
        written.commit_sha,
        3 as way
    from spent
    inner join written
        on
            spent.developer_id = written.developer_id
            and spent.place = written.place
            and spent.used_on = written.authored_on
    union all
    select
        spent.unit_id,
        written.commit_sha,
        4 as way
    from spent
    inner join next_days
        on
            spent.developer_id = next_days.developer_id
            and spent.place = next_days.place
            and spent.used_on = next_days.used_on
    inner join written
        on
            next_days.developer_id = written.developer_id
            and next_days.place = written.place
            and next_days.authored_on = written.authored_on
),

chosen as (
    select
        *,
        min(way) over (partition by unit_id) as best_way
    from found
),

placed as (
    select
        unit_id,
        commit_sha,
        way,
        row_number() over (partition by unit_id order by commit_sha) as place,
        count(*) over (partition by unit_id) as commit_count
    from chosen
    where way = best_way
),

shares as (
    select
        spent.used_on,
        spent.tool,
        spent.developer_id,
        spent.team_id,
        spent.cost_currency,
        placed.commit_sha,
        coalesce(placed.way, 0) as way,
        case
            when placed.unit_id is null then spent.cost_nano
            -- Corrections of vendors are negative.
            when spent.cost_nano < 0
                then -({{ issue_units('(-spent.cost_nano)', 'placed.commit_count', 'placed.place') }})
            else {{ issue_units('spent.cost_nano', 'placed.commit_count', 'placed.place') }}
        end as cost_nano
    from spent
    left join placed on spent.unit_id = placed.unit_id
),

summed as (
    select
        used_on,
        tool,
        developer_id,
        team_id,
        cost_currency,
        commit_sha,
        way,
        {{ capped_sum('cost_nano') }} as cost_nano
    from shares
    group by used_on, tool, developer_id, team_id, cost_currency, commit_sha, way
)

select
    summed.used_on,
    summed.tool,
    summed.developer_id,
    summed.team_id,
    commits.commit_id,
    commits.repository_id,
    case summed.way
        when 1 then 'session'
        when 2 then 'session_of_day'
        when 3 then 'day'
        when 4 then 'next_day'
        else 'none'
    end as method,
    case summed.way
        {%- for name in ['session', 'session_of_day', 'day', 'next_day'] %}
        when {{ loop.index }} then {{ var('ai_link_confidence_micro')[name] }}
        {%- endfor %}
        else 0
    end as confidence_micro,
    summed.cost_currency,
    summed.cost_nano
from summed
left join commits on summed.commit_sha = commits.commit_sha
