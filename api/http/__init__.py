"""What every route shares: errors, parameters, shapes, paging, responses, middleware and the OpenAPI document."""
