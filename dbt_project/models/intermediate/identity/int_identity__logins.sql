with addresses as (
    select * from {{ ref('int_identity__addresses') }}
),

host_addresses as (
    select * from addresses
    where {{ matches('domain', pattern_text('^users\\.noreply\\.|^noreply\\.')) }}
)

select
    address_number,
    mailbox_id,
    {{ first_match('local_part', pattern_text('^(?:[0-9]+[+-])?(.+)$'), 1) }} as login,
    concat(
        'login:', domain, ' ', {{ first_match('local_part', pattern_text('^(?:[0-9]+[+-])?(.+)$'), 1) }}
    ) as login_key,
    case
        when {{ matches('local_part', pattern_text('^[0-9]+[+-]')) }}
            then concat('account:', domain, ' ', {{ first_match('local_part', pattern_text('^([0-9]+)[+-]'), 1) }})
    end as account_key
from host_addresses
