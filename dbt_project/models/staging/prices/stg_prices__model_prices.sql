with source as (
    select * from {{ source('prices', 'model_prices') }}
),

renamed as (
    select
        model,
        speed,
        service_tier,
        from_on,
        to_on,
        tier_start,
        tier_end,
        has_tiers,
        priced_model,
        price_source,
        input_pico,
        cache_read_pico,
        cache_write_5m_pico,
        cache_write_1h_pico,
        output_pico,
        reason
    from source
)

select * from renamed
