{{ config(materialized='table') }}
-- A table, because six models read it and each would look for the newest versions again.

with connections as (
    select connection_id from {{ source('control', 'connections') }}
),

-- Rows of a connection that is not in the settings do not count: after a lost control database it was entered again.
source as (
    select * from {{ source('trackers', 'items') }}
    where connection_id in (select connection_id from connections)
),

deletions as (
    select
        connection_id,
        provider_id
    from {{ source('trackers', 'deletions') }}
    where table_name = 'items'
),

newest as (
    select
        connection_id,
        provider_id,
        max(batch) as batch
    from source
    group by connection_id, provider_id
),

present as (
    select
        source.*,
        {{ uuid5_digest('source.organization_id', "concat('item:', source.connection_id, ':', source.provider_id)") }}
            as id_digest
    from source
    inner join newest
        on
            source.connection_id = newest.connection_id
            and source.provider_id = newest.provider_id
            and source.batch = newest.batch
    left join deletions
        on source.connection_id = deletions.connection_id and source.provider_id = deletions.provider_id
    where deletions.provider_id is null
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
