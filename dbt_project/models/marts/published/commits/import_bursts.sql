select * from {{ ref('api_v1__import_bursts') }}
order by started_at desc, burst_id
