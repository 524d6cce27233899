"""Routes of capitalized effort: the report, its policies and its closed months."""
