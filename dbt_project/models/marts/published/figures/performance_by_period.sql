-- Lists read one period, or the weeks of a range, of everybody.

select * from {{ ref('performance') }}
order by entity_kind, period, period_start, entity_id
