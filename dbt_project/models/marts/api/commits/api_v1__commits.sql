with facts as (
    select * from {{ ref('fct_commits') }}
),

commits as (
    select * from {{ ref('int_commits') }}
),

developers as (
    select * from {{ ref('dim_developers') }}
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

authors as (
    select * from {{ ref('int_teams__authors') }}
),

decisions as (
    select * from {{ ref('int_exclusions__decisions') }}
),

bursts as (
    select * from {{ ref('int_exclusions__commits') }}
),

pull_requests as (
    select * from {{ ref('int_pull_requests__innermost') }}
),

costs as (
    select * from {{ ref('fct_ai_commit_costs') }}
),

-- What decides the shares of the people behind a squash.
shared_squashes as (
    select
        commit_sha,
        repository_id,
        count(distinct source_sha) as source_commits,
        bool_and(is_by_points) as is_by_points
    from {{ ref('int_commit_source_people') }}
    group by commit_sha, repository_id
    having count(distinct address) > 1
),

-- Files that contain the copied lines. A commit may repeat lines of the file itself.
sources as (
    select
        commit_sha,
        count(distinct case when copied_from <> path then copied_from end) as others,
        min(case when copied_from <> path then copied_from end) as other,
        max(case when copied_from = path then 1 else 0 end) as own
    from {{ ref('int_points__delivered_lines') }}
    where copied_from is not null
    group by commit_sha
),

copies as (
    select
        commit_sha,
        concat(
            case
                when others = 1 then concat(' from ', other)
                when others > 1
                    then concat(' from ', {{ with_thousands('others') }}, ' files, for example ', other)
                else ''
            end,
            case when own = 0 then '' when others > 0 then ' and within their own files' else ' within their own files' end
        ) as told
    from sources
),

-- "48 lines: 31 novel, 9 moved, 6 copied from x.py, 2 layout; 3 more gone or credited to others"
{% set classes = ['novel', 'substituted', 'comment', 'returned', 'moved', 'copied', 'layout'] -%}
parts as (
    select
        facts.commit_sha,
        facts.is_merge,
        facts.delivery_sha is not null as is_delivered,
        {% for class in classes %}facts.{{ class }}_lines + {% endfor %}facts.left_out_lines as lines,
        facts.gone_lines,
        facts.test_lines,
        shared_squashes.source_commits,
        shared_squashes.is_by_points,
        facts.removed_lines,
        facts.taken_back_lines,
        concat(
            {% for class in classes -%}
            case
                when facts.{{ class }}_lines > 0
                    then concat(
                        ', ', {{ with_thousands('facts.' ~ class ~ '_lines') }}, ' {{ class }}'
                        {%- if class == 'copied' %}, coalesce(copies.told, ''){% endif %}
                        {%- if class == 'novel' %},
                        case when facts.weighing_novel_lines = 0 then ' without new words' else '' end{% endif %}
                    )
                else ''
            end,
            {% endfor -%}
            case
                when facts.left_out_lines > 0
                    then concat(
                        ', ', {{ with_thousands('facts.left_out_lines') }}, ' in files that do not count'
                    )
                else ''
            end
        ) as by_class
    from facts
    left join copies on facts.commit_sha = copies.commit_sha
    left join shared_squashes
        on facts.commit_sha = shared_squashes.commit_sha and facts.repository_id = shared_squashes.repository_id
),

sentences as (
    select
        commit_sha,
        concat(
            {{ with_thousands('lines') }}, case when lines = 1 then ' line' else ' lines' end,
            case
                when lines > 0 then concat(': ', substr(by_class, 3))
                when not is_delivered then ' delivered yet'
                when is_merge then ' of its own'
                else ' added'
            end,
            case
                when gone_lines > 0
                    then concat('; ', {{ with_thousands('gone_lines') }}, ' more gone or credited to others')
                else ''
            end,
            case
                when test_lines > 0
                    then concat(
                        '; ', {{ with_thousands('test_lines') }}, ' of ', {{ with_thousands('lines') }},
                        case when test_lines = 1 then ' lines is an inline test' else ' lines are inline tests' end
                    )
                else ''
            end,
            case
                when removed_lines > 0
                    then concat(
                        '; ', {{ with_thousands('removed_lines') }},
                        case when removed_lines = 1 then ' old line removed' else ' old lines removed' end
                    )
                else ''
            end,
            case
                when taken_back_lines > 0
                    then concat(
                        '; ', {{ with_thousands('taken_back_lines') }}, ' taken back within two weeks'
                    )
                else ''
            end,
            case
                when source_commits is null then ''
                else
                    concat(
                        '; shared by ',
                        case when is_by_points then 'the points of the lines here' else 'the changed lines' end,
                        ' of ', {{ with_thousands('source_commits') }},
                        case when source_commits = 1 then ' source commit' else ' source commits' end
                    )
            end
        ) as explanation
    from parts
)

select
    facts.commit_id,
    facts.commit_sha,
    facts.repository_id,
    repositories.name as repository_name,
    facts.developer_id,
    developers.name as developer_name,
    authors.team_id,
    facts.is_bot,
    commits.written_author_name as author_name,
    commits.written_author_email as author_email,
    commits.authored_at,
    commits.committed_at,
    commits.subject,
    facts.is_merge,
    commits.parent_shas,
    facts.delivery_sha,
    facts.delivered_at,
    facts.delivered_on,
    pull_requests.pull_request_id,
    pull_requests.number as pull_request_number,
    facts.is_counted,
    facts.zero_reason,
    bursts.burst_id as import_burst_id,
    case when decisions.is_excluded then decisions.reason end as exclusion_reason,
    case when decisions.is_excluded then decisions.note end as exclusion_note,
    facts.duplicate_of_sha,
    facts.category,
    facts.category_label,
    facts.category_method,
    facts.category_confidence,
    facts.points_micro,
    facts.effort_micro,
    facts.etv_micro,
    facts.features_etv_micro,
    facts.maintenance_etv_micro,
    facts.tests_etv_micro,
    facts.documentation_etv_micro,
    facts.fixes_etv_micro,
    cast(commits.files_changed as bigint) as files_changed,
    cast(commits.lines_added as bigint) as lines_added,
    cast(commits.lines_deleted as bigint) as lines_deleted,
    facts.is_ai_assisted,
    facts.ai_tools,
    {{ cost_micro('costs.cost_nano') }} as ai_cost_micro,
    costs.confidence_micro as ai_cost_confidence_micro,
    facts.is_aligned,
    facts.reaches_objective,
    facts.alignment_reason,
    facts.is_credit_estimated,
    facts.is_provisional,
    facts.provisional_until,
    sentences.explanation,
    '{{ var("calculation_version") }}' as calculation_version
from facts
inner join commits on facts.commit_sha = commits.commit_sha
inner join developers on facts.developer_id = developers.developer_id
inner join repositories on facts.repository_id = repositories.repository_id
inner join sentences on facts.commit_sha = sentences.commit_sha
left join authors on facts.commit_sha = authors.commit_sha and facts.developer_id = authors.developer_id
left join pull_requests
    on facts.repository_id = pull_requests.repository_id and facts.commit_sha = pull_requests.commit_sha
left join decisions on facts.commit_sha = decisions.commit_sha
left join costs on facts.commit_id = costs.commit_id
left join bursts on facts.commit_sha = bursts.commit_sha
