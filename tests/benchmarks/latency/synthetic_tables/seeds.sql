-- Numbers that every table is made of: commits, lines of teams, and files.
create macro uuid_of(kind, n) as cast(cast(md5(kind || ':' || n) as uuid) as varchar);
create macro roll(n, salt, sides) as cast(hash(n, salt) % sides as bigint);
-- Every fourth developer changed teams once; without teams the remainder is null.
create macro team_of(developer, day) as
    (developer + if(developer % 4 = 0 and day < date '$moved_on', 1, 0)) % $teams;
-- Ten teams at the top, eight below each.
create macro parent_of(team) as if(team < 10, null, (team - 10) // 8);

create table seed_commits as
select
    n,
    uuid_of('commit', n) as commit_id,
    md5('sha' || n) || substr(md5(cast(n as varchar)), 1, 8) as commit_sha,
    -- Squares make some repositories and developers far busier than others; each has one commit at least.
    if(n < $repositories, n, roll(n, 1, 1000) * roll(n, 2, 1000) * $repositories // 1000000) as repository,
    if(n < $developers, n, roll(n, 3, 1000) * roll(n, 4, 1000) * $developers // 1000000) as developer,
    -- Each developer stays for `tenure` days somewhere within the `days`.
    timestamptz '$as_of 00:00:00+00' - to_seconds(roll(n, 5, $tenure * 86400))
        - to_days(cast(roll(developer, 10, $days - $tenure + 1) as integer)) as authored_at,
    roll(n, 6, 20) > 0 as is_delivered,
    roll(n, 7, 50) = 0 as is_merge,
    roll(n, 8, 6) = 0 as is_ai_assisted,
    -- Of each ten thousand one is large.
    if(n % 10000 = 0, 500, 1 + roll(n, 9, 9)) as files
from range($commits) as t (n);

create table seed_lines as
with recursive lines as (
    select n as team, n as ancestor from range($teams) as t (n)
    union all select team, parent_of(ancestor) from lines where parent_of(ancestor) is not null
)
select team, ancestor, uuid_of('team', team) as team_id, uuid_of('team', ancestor) as ancestor_id from lines;

create table seed_files as
select
    c.n, uuid_of('team', team_of(c.developer, c.authored_at::date)) as team_id,
    c.commit_id, c.repository, c.developer, c.is_delivered, f, c.is_merge, c.is_ai_assisted,
    c.authored_at + interval 2 hours as delivered_at,
    'src/' || uuid_of('directory', roll(c.n, 20 + f, 400))[1:8] || '/module_' || f || '.py' as path,
    ['features', 'maintenance', 'tests', 'documentation', 'fixes'][1 + roll(c.n, 40 + f, 5)] as category,
    1 + roll(c.n, 60 + f, 40) as novel,
    roll(c.n, 80 + f, 10) as comments,
    roll(c.n, 100 + f, 5) as layout,
    roll(c.n, 120 + f, 30) as removed
from seed_commits as c, range(c.files) as t (f)
where not c.is_merge;
