with source as (
    select * from {{ source('trackers', 'items') }}
),

deletions as (
    select
        connection_id,
        provider_id
    from {{ source('trackers', 'deletions') }}
    where table_name = 'items'
),

numbered as (
    select
        *,
        row_number() over (partition by connection_id, provider_id order by batch desc) as version_place
    from source
),

present as (
    select
        numbered.*,
        {{ uuid5_digest('numbered.organization_id', "concat('item:', numbered.connection_id, ':', numbered.provider_id)") }}
            as id_digest
    from numbered
    left join deletions
        on numbered.connection_id = deletions.connection_id and numbered.provider_id = deletions.provider_id
    where numbered.version_place = 1 and deletions.provider_id is null
),

renamed as (
    select
        {{ uuid5_of_digest('id_digest') }} as item_id,
        connection_id,
        provider_id,
        kind,
        key,
        previous_keys,
        repository_id,
        number,
        type_name,
        title,
        status,
        status_category,
        parent_ids,
        team_key,
        team_name,
        assignee,
        assignee_name,
        assignee_email,
        creator,
        created_at,
        updated_at,
        started_at,
        completed_at,
        start_on,
        target_on,
        estimate,
        resolution,
        branch_name,
        url,
        labels,
        pull_requests,
        history
    from present
)

select * from renamed
