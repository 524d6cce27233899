"""What AI coding tools report over OpenTelemetry: requests are read and stripped, spooled, and loaded into the lake.

`accept` is what the API imports: it makes rows of a request and appends them to the spool. `loading` moves the spool
into the lake. Nothing is kept that `attributes` does not name.
"""
