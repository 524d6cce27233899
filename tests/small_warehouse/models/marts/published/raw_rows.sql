{{ raw_rows(['git', 'control']) }}
