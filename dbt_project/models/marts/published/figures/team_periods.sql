{{ summed_periods(['team']) }}
