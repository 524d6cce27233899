{{ summed_periods(['team', 'developer']) }}
