{{ summed_periods(['team', 'repository']) }}
