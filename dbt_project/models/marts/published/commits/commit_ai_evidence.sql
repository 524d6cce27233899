select * from {{ ref('api_v1__commit_ai_evidence') }}
order by commit_id, tool, role, signal, matched_text
