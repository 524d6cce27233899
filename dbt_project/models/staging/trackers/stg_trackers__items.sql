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

-- Ids that differed in what no column holds may have left two rows in one batch.
versions as (
    select
        *,
        row_number() over (partition by connection_id, provider_id order by batch desc, updated_at desc) as version
    from source
),

present as (
    select
        versions.*,
        {{ uuid5_digest('versions.organization_id', "concat('item:', versions.connection_id, ':', versions.provider_id)") }}
            as id_digest
    from versions
    left join deletions
        on versions.connection_id = deletions.connection_id and versions.provider_id = deletions.provider_id
    where versions.version = 1 and deletions.provider_id is null
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
