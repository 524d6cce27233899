-- Commits of a split or rewritten copy of a repository that the organization analyses too. A rewritten commit keeps its
-- author, author time and subject. A script can write one message into many repositories within a second, so only
-- repositories count that share much of their history.

with commits as (
    select * from {{ ref('int_commits') }}
    where delivery_sha is not null and not is_upstream
),

repositories as (
    select * from {{ ref('int_repositories') }}
),

repeated as (
    select
        authored_at,
        subject
    from commits
    group by authored_at, subject
    having count(distinct repository_id) > 1
),

candidates as (
    select
        commits.*,
        {{ epoch_micros('commits.delivered_at') }} as delivered_micros
    from commits
    inner join repeated on commits.authored_at = repeated.authored_at and commits.subject = repeated.subject
),

twins as (
    select
        candidates.commit_sha,
        candidates.repository_id,
        candidates.delivered_micros,
        candidates.authored_at,
        others.commit_sha as other_commit_sha,
        others.repository_id as other_repository_id,
        others.delivery_sha as other_delivery_sha,
        others.delivered_micros as other_delivered_micros
    from candidates
    inner join candidates as others
        on
            candidates.authored_at = others.authored_at
            and candidates.subject = others.subject
            and candidates.repository_id <> others.repository_id
            and (
                candidates.author_address = others.author_address
                or candidates.author_name = others.author_name
            )
),

pairs as (
    select
        repository_id,
        other_repository_id,
        count(distinct commit_sha) as twins,
        max(authored_at) as last_authored_at,
        count(distinct case when delivered_micros > other_delivered_micros + 86400000000 then commit_sha end) as later
    from twins
    group by repository_id, other_repository_id
),

-- Only the history up to the last common commit is compared: a copy goes on by itself.
sized as (
    select
        pairs.repository_id,
        pairs.other_repository_id,
        count(*) as commits
    from pairs
    inner join commits
        on pairs.repository_id = commits.repository_id and pairs.last_authored_at >= commits.authored_at
    group by pairs.repository_id, pairs.other_repository_id
),

compared as (
    select
        pairs.repository_id,
        pairs.other_repository_id,
        pairs.twins,
        pairs.later * 2 > pairs.twins as is_later,
        reverse_pairs.later * 2 > reverse_pairs.twins as is_earlier,
        sized.commits,
        other_sizes.commits as other_commits,
        case when own.is_excluded then 2 when own.is_sandbox then 1 else 0 end as standing,
        case when other.is_excluded then 2 when other.is_sandbox then 1 else 0 end as other_standing
    from pairs
    inner join pairs as reverse_pairs
        on
            pairs.repository_id = reverse_pairs.other_repository_id
            and pairs.other_repository_id = reverse_pairs.repository_id
    inner join sized
        on pairs.repository_id = sized.repository_id and pairs.other_repository_id = sized.other_repository_id
    inner join sized as other_sizes
        on pairs.repository_id = other_sizes.other_repository_id and pairs.other_repository_id = other_sizes.repository_id
    inner join repositories as own on pairs.repository_id = own.repository_id
    inner join repositories as other on pairs.other_repository_id = other.repository_id
),

-- The copy delivered later. A rewrite that keeps all times is the one with fewer commits.
copies as (
    select
        repository_id,
        other_repository_id
    from compared
    where
        twins >= {{ var('copy_commits') }}
        and twins * 1000000 >= least(commits, other_commits) * {{ var('copy_share_micro') }}
        and case
            when standing <> other_standing then standing > other_standing
            when is_later <> is_earlier then is_later
            when commits <> other_commits then commits < other_commits
            else repository_id > other_repository_id
        end
),

copied as (
    select
        twins.commit_sha,
        twins.repository_id,
        twins.other_commit_sha,
        twins.other_repository_id,
        twins.other_delivery_sha,
        twins.other_delivered_micros
    from twins
    inner join copies
        on twins.repository_id = copies.repository_id and twins.other_repository_id = copies.other_repository_id
),

-- The original is no copy itself, so one commit of each group counts.
ranked as (
    select
        copied.*,
        row_number() over (
            partition by copied.commit_sha
            order by copied.other_delivered_micros, copied.other_repository_id, copied.other_commit_sha
        ) as place
    from copied
    left join copied as further on copied.other_commit_sha = further.commit_sha
    where further.commit_sha is null
)

select
    commit_sha,
    repository_id,
    other_commit_sha as original_sha,
    other_delivery_sha as original_delivery_sha,
    other_repository_id as original_repository_id
from ranked
where place = 1
