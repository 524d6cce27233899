"""The release of the service: one number for the command, the API and the rules behind published figures."""

from importlib.metadata import version


def release() -> str:
    """Version of the installed service, 0.minor.patch."""
    return version("engineering-analytics-service")
