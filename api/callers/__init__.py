"""What a route declares about its caller: the permission that it requires and the rows that it reads."""
