-- Sorted by period, because lists read one period, or the weeks of a range, for all entities.

select * from {{ ref('performance') }}
order by entity_kind, period, period_start, entity_id
