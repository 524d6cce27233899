{{ summed_periods(['repository']) }}
