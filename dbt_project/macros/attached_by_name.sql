{#-
  CTEs ending with `attached`: addresses that nobody vouches for, with the one vouched person who has their full name. They
  need the CTEs `named` (addresses by unit, what nobody can join by writing a name), `described` and `dismissals`.
-#}
{% macro attached_by_name() %}
-- The people whom somebody vouches for, with each of their full names.
vouched_names as (
    select
        unit_number,
        compared_name,
        sum(authored_commits) as commits
    from named
    where is_proven and not is_robot and not is_generic_name and not has_many_names
    group by unit_number, compared_name
),

vouched_people as (
    select
        unit_number,
        sum(commits) as commits
    from vouched_names
    group by unit_number
),

-- An administrator said that two with this name are different people.
digests as (
    select
        described.compared_name,
        {{ uuid5_digest(
            "'" ~ var('organization_id') ~ "'",
            "concat('developer:', described.address, case when described.is_generic_address or described.is_separated"
            ~ " then concat(' ', described.compared_name) else '' end)"
        ) }} as digest
    from described
    inner join vouched_names on described.compared_name = vouched_names.compared_name
),

own_ids as (
    select distinct
        compared_name,
        {{ uuid5_of_digest('digest') }} as developer_id
    from digests
),

dismissed as (
    select
        dismissals.dismissal_id,
        own_ids.compared_name
    from dismissals
    inner join own_ids on dismissals.developer_id = own_ids.developer_id
    group by dismissals.dismissal_id, own_ids.compared_name
    having count(*) > 1
),

dismissed_names as (
    select distinct compared_name
    from dismissed
),

-- A name of two vouched people joins nobody. A name that somebody wrote once gains nothing, or one commit under the
-- name of a colleague would take the colleague's work.
names as (
    select
        vouched_names.compared_name,
        count(*) as people,
        min(vouched_names.unit_number) as unit_number,
        bool_or(
            dismissed_names.compared_name is null
            and vouched_names.commits * {{ var('joining_name_parts') }} >= vouched_people.commits
        ) as is_attaching
    from vouched_names
    inner join vouched_people on vouched_names.unit_number = vouched_people.unit_number
    left join dismissed_names on vouched_names.compared_name = dismissed_names.compared_name
    group by vouched_names.compared_name
),

-- Every vouched person of whose name an address has one counts, so that an address of two attaches to neither.
claimed as (
    select
        named.unit_number,
        count(distinct vouched_names.unit_number) as people,
        max(case when names.people = 1 and names.is_attaching then names.unit_number end) as attached_number
    from named
    inner join names on named.compared_name = names.compared_name
    inner join vouched_names on named.compared_name = vouched_names.compared_name
    where
        not (
            named.is_proven
            or named.is_robot
            or named.is_generic_name
            or named.has_many_names
            or named.is_rare_name
        )
    group by named.unit_number
),

attached as (
    select
        named.address_number,
        case when claimed.people = 1 then claimed.attached_number end as attached_number,
        coalesce(names.people > 1 or names.is_attaching, false) as is_taken_name
    from named
    left join claimed on named.unit_number = claimed.unit_number
    left join names on named.compared_name = names.compared_name
    where
        not (named.is_proven or named.is_robot)
        and (claimed.unit_number is not null or names.compared_name is not null)
)
{% endmacro %}
