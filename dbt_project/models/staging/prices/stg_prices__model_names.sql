with source as (
    select * from {{ source('prices', 'model_names') }}
)

select
    model,
    common_model
from source
