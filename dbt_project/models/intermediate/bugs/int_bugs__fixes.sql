-- Delivered commits whose own words say that they mend something. Paths do not decide here: tests and documentation
-- are mended as well.

with commits as (
    select * from {{ ref('int_delivered_commits') }}
),

categories as (
    select * from {{ ref('int_categories__commits') }}
)

select
    commits.commit_sha,
    commits.repository_id,
    commits.delivery_sha,
    commits.delivered_on,
    categories.method,
    categories.confidence
from commits
inner join categories on commits.commit_sha = categories.commit_sha
where categories.category = 'fixes' and not commits.is_merge
