-- Usage of an AI tool: two models of each hundredth commit's author and day.
insert into api_v1__ai_usage by name
select
    'CLAUDE_CODE:' || c.n || '/' || model as usage_id, 'vendor' as source, uuid_of('connection', 2) as connection_id,
    'CLAUDE_CODE' as connection_kind, 'claude_code' as tool, c.authored_at::date as used_on,
    uuid_of('developer', c.developer) as developer_id, uuid_of('team', team_of(c.developer, c.authored_at::date)) as team_id,
    'developer' || c.developer || '@acme.example' as actor, model, model as common_model, 10 as requests,
    100000 + roll(c.n, 301, 1000) as input_tokens, 900000 as cache_read_tokens, 50000 as cache_write_5m_tokens,
    0 as cache_write_1h_tokens, 20000 as output_tokens,
    1500000000 + roll(c.n, 302, 1000000000) as cost_nano, 'USD' as cost_currency, 'computed' as cost_basis,
    1500000000 as computed_nano, model as priced_model, 'prices' as price_source, 5000000 as input_pico,
    500000 as cache_read_pico, 6250000 as cache_write_5m_pico, 10000000 as cache_write_1h_pico, 25000000 as output_pico,
    false as is_tier_unknown, true as is_active, true as counts_cost, true as counts_tokens, false as counts_activity
from seed_commits as c, (values ('claude-opus-5'), ('claude-haiku-5-5')) as models (model)
where c.n % 100 = 0;

-- Telemetry of the same usage, of which a tenth is missing.
insert into api_v1__ai_usage_reconciliation by name
select
    tool, developer_id as person_key, used_on, developer_id, any_value(team_id) as team_id, any_value(actor) as actor,
    'CLAUDE_CODE' as vendor_kind, sum(requests * 1000)::bigint as vendor_tokens,
    sum(requests * 900)::bigint as telemetry_tokens, sum(requests * 100)::bigint as difference_tokens,
    900000 as captured_micro, sum(cost_nano)::bigint as vendor_nano, sum(cost_nano * 9 // 10)::bigint as telemetry_nano,
    sum(cost_nano - cost_nano * 9 // 10)::bigint as difference_nano
from api_v1__ai_usage
group by tool, developer_id, used_on;

-- Days of developers.
insert into api_v1__ai_days by name
select
    used_on, developer_id, team_id, false as is_bot, sum(cost_nano)::bigint as usage_cost_nano,
    sum(input_tokens + cache_read_tokens + cache_write_5m_tokens + output_tokens)::bigint as usage_tokens, 1 as usage_days,
    2 as usage_sessions, 200 as usage_lines_suggested, 150 as usage_lines_accepted
from api_v1__ai_usage
group by all;

-- Cost of the commits.
insert into api_v1__ai_costs by name
select
    c.authored_at::date as used_on, 'claude_code' as tool, uuid_of('developer', c.developer) as developer_id,
    uuid_of('team', team_of(c.developer, c.authored_at::date)) as team_id,
    case when c.n % 300 > 0 then uuid_of('commit', c.n) end as commit_id,
    case when c.n % 300 > 0 then uuid_of('repository', c.repository) end as repository_id,
    case when c.n % 300 > 0 then 'day' else 'none' end as method,
    case when c.n % 300 > 0 then 600000 else 0 end as confidence_micro, 3000000000 as cost_nano,
    'USD' as cost_currency
from seed_commits as c
where c.n % 100 = 0;
