{{ raw_rows(['hosts', 'trackers']) }}
