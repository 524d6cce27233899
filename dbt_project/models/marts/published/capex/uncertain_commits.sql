select * from {{ ref('api_v1__uncertain_commits') }}
order by month, deviation_micro desc, commit_id
