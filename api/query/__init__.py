"""SQL from request parameters: columns, filters, orders, pages and ranges of days."""
