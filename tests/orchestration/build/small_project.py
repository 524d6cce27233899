"""Settings of a dbt project that a test writes itself."""

PROJECT = """
name: small
version: 0.1.0
profile: small
vars: {organization_id: none, as_of: "", calculation_version: none, measures: []}
"""
PROFILE = """
small:
  target: local
  outputs: {local: {type: duckdb, path: "{{ env_var('EAS_WAREHOUSE_PATH') }}", threads: 1}}
"""
