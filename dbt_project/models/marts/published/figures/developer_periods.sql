{{ summed_periods(['developer', 'team']) }}
