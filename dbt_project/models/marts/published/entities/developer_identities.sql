select * from {{ ref('api_v1__developer_identities') }}
order by own_developer_id
