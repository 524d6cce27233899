with commits as (
    select * from {{ ref('int_commits') }}
),

files as (
    select * from {{ ref('fct_commit_files') }}
),

parts as (
    {{ category_parts() | indent(4) }}
),

excluded as (
    select * from {{ ref('int_exclusions__commits') }}
),

known_reasons as (
    select * from {{ ref('zero_reason_texts') }}
),

credits as (
    select * from {{ ref('int_commit_credits') }}
    where place = 1
),

assisted as (
    select
        commit_sha,
        {{ collected_distinct('tool') }} as ai_tools,
        bool_or(role in ('authored', 'assisted')) as is_ai_assisted
    from {{ ref('int_ai__evidence') }}
    group by commit_sha
),

alignment as (
    select * from {{ ref('int_alignment__commits') }}
),

organization as (
    select * from {{ ref('int_organization') }}
),

-- Features and fixes are purposes; upkeep, tests and documents are what is done for one.
purposes as (
    select
        commit_sha,
        category as purpose,
        method = 'declared_type' as is_declared
    from {{ ref('int_categories__commits') }}
    where
        decided_category is null
        and category in ('features', 'fixes')
        and (method = 'declared_type' or confidence >= {{ var('category_purpose_at') }})
),

by_method as (
    select
        commit_sha,
        category,
        category_method as method,
        sum(etv_micro) as etv_micro,
        sum(lines_added + lines_deleted) as lines,
        max(category_confidence) as confidence
    from parts
    group by commit_sha, category, category_method
),

-- If several methods came to one category, the method with the most ETV is named.
by_category as (
    select
        commit_sha,
        category,
        method,
        confidence,
        sum(etv_micro) over (partition by commit_sha, category) as etv_micro,
        sum(lines) over (partition by commit_sha, category) as lines,
        row_number() over (
            partition by commit_sha, category order by etv_micro desc, lines desc, method
        ) as method_place
    from by_method
),

main_categories as (
    select
        commit_sha,
        category,
        confidence,
        method,
        row_number() over (partition by commit_sha order by etv_micro desc, lines desc, category) as place
    from by_category
    where method_place = 1
),

-- The purpose is kept where the ETV is elsewhere: a declared fix of which most is tests is a fix. What the model says of a
-- commit counts only beside files that the model decided, since it knows no tests and no documents.
labels as (
    select
        main_categories.commit_sha,
        concat(
            case
                when purposes.purpose is null or purposes.purpose = main_categories.category then ''
                when intended.etv_micro > 0 then concat({{ category_label('purposes.purpose') }}, ', mostly ')
                when purposes.is_declared then concat({{ category_label('purposes.purpose') }}, ', only ')
                else ''
            end,
            {{ category_label('main_categories.category') }}
        ) as category_label
    from main_categories
    left join purposes on main_categories.commit_sha = purposes.commit_sha
    left join by_category as intended
        on
            purposes.commit_sha = intended.commit_sha
            and purposes.purpose = intended.category
            and intended.method_place = 1
    where main_categories.place = 1
),

-- Lines of files that a rule for the whole file leaves out are told apart: of a lock file no line was compared.
sized as (
    select
        files.*,
        {{ delivered_lines('files') }} as delivered_lines,
        known_reasons.zero_reason is not null as is_left_out
    from files
    left join known_reasons
        on
            files.zero_reason = known_reasons.zero_reason
            and known_reasons.level = 'file'
            and known_reasons.zero_reason <> 'NO_COUNTED_LINES'
),

totals as (
    select
        commit_sha,
        count(*) as files,
        count(case when zero_reason is null then 1 end) as counted_files,
        max(duplicate_of_sha) as duplicate_of_sha,
        sum(points_micro) as points_micro,
        sum(effort_micro) as effort_micro,
        sum(etv_micro) as etv_micro,
        {% for class in [
            'novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout', 'removed', 'taken_back'
        ] -%}
        sum(case when is_left_out then 0 else {{ class }}_lines end) as {{ class }}_lines,
        {% endfor -%}
        sum(case when is_left_out then 0 else weighing_novel_lines end) as weighing_novel_lines,
        sum(case when is_left_out then 0 else test_lines end) as test_lines,
        sum(case when is_left_out then delivered_lines else 0 end) as left_out_lines,
        sum(greatest(lines_added - delivered_lines, 0)) as gone_lines
    from sized
    group by commit_sha
),

category_totals as (
    select
        commit_sha,
        {% for category in categories() -%}
        sum(case when category = '{{ category }}' then etv_micro else 0 end)
            as {{ category }}_etv_micro{{ ',' if not loop.last }}
        {% endfor %}
    from by_method
    group by commit_sha
),

reasons as (
    select
        files.commit_sha,
        files.zero_reason,
        count(*) as files,
        sum({{ new_lines('files', 'commits.is_merge') }}) as lines_added
    from files
    inner join commits on files.commit_sha = commits.commit_sha
    where files.zero_reason is not null
    group by files.commit_sha, files.zero_reason
),

main_reasons as (
    select
        reasons.commit_sha,
        reasons.zero_reason,
        row_number() over (
            partition by reasons.commit_sha
            order by reasons.lines_added desc, reasons.files desc, known_reasons.position
        ) as place
    from reasons
    inner join known_reasons on reasons.zero_reason = known_reasons.zero_reason
),

judged as (
    select
        commits.commit_sha,
        case
            when commits.delivery_sha is null then 'NOT_DELIVERED'
            when excluded.zero_reason is not null then excluded.zero_reason
            when totals.files is null and commits.is_merge then 'MERGE'
            -- If no file counts, the reason is the one that takes most of the new lines.
            when coalesce(totals.etv_micro, 0) = 0 then coalesce(main_reasons.zero_reason, 'NO_COUNTED_LINES')
        end as zero_reason
    from commits
    left join totals on commits.commit_sha = totals.commit_sha
    left join excluded on commits.commit_sha = excluded.commit_sha
    left join main_reasons on commits.commit_sha = main_reasons.commit_sha and main_reasons.place = 1
)

select
    commits.commit_id,
    commits.commit_sha,
    commits.repository_id,
    commits.is_merge,
    commits.delivery_sha,
    commits.delivered_at,
    commits.delivered_on,
    credits.developer_id,
    credits.is_bot,
    credits.is_estimated as is_credit_estimated,
    judged.zero_reason,
    judged.zero_reason is null as is_counted,
    totals.duplicate_of_sha,
    main_categories.category,
    labels.category_label,
    main_categories.method as category_method,
    main_categories.confidence as category_confidence,
    coalesce(assisted.is_ai_assisted, false) as is_ai_assisted,
    assisted.ai_tools,
    commits.files_changed,
    {% for measure in ['points', 'effort', 'etv'] -%}
    cast(coalesce(totals.{{ measure }}_micro, 0) as bigint) as {{ measure }}_micro,
    {% endfor -%}
    {% for category in categories() -%}
    cast(coalesce(category_totals.{{ category }}_etv_micro, 0) as bigint) as {{ category }}_etv_micro,
    {% endfor -%}
    {% for class in [
        'novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout', 'removed', 'taken_back'
    ] -%}
    cast(coalesce(totals.{{ class }}_lines, 0) as bigint) as {{ class }}_lines,
    {% endfor -%}
    cast(coalesce(totals.weighing_novel_lines, 0) as bigint) as weighing_novel_lines,
    cast(coalesce(totals.test_lines, 0) as bigint) as test_lines,
    cast(coalesce(totals.left_out_lines, 0) as bigint) as left_out_lines,
    -- A direct commit is its own delivery, and in a merge Git finds all lines of the other side.
    cast(
        case
            when commits.is_merge or commits.delivery_sha is null or commits.delivery_sha = commits.commit_sha then 0
            else coalesce(totals.gone_lines, 0)
        end as bigint
    ) as gone_lines,
    cast({{ instant_plus_days('commits.delivered_at', var('window_days')) }} as {{ instant_type() }}) as provisional_until,
    coalesce(
        {{ instant_plus_days('commits.delivered_at', var('window_days')) }} > organization.as_of, false
    ) as is_provisional,
    coalesce(alignment.issue_count > 0, false) as is_aligned,
    coalesce(alignment.roadmap_issue_count > 0, false) as reaches_objective,
    case when alignment.commit_sha is null then 'NO_TRACKER' else alignment.alignment_reason end as alignment_reason
from commits
cross join organization
inner join credits on commits.commit_sha = credits.commit_sha
inner join judged on commits.commit_sha = judged.commit_sha
left join totals on commits.commit_sha = totals.commit_sha
left join category_totals on commits.commit_sha = category_totals.commit_sha
left join main_categories on commits.commit_sha = main_categories.commit_sha and main_categories.place = 1
left join labels on commits.commit_sha = labels.commit_sha
left join assisted on commits.commit_sha = assisted.commit_sha
left join alignment on commits.commit_sha = alignment.commit_sha
