{{ raw_rows(var('raw_tables') | reject('in', ['git', 'control']) | list) }}
