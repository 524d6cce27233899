"""The fixtures of the organization in which people move between teams."""

from tests.api.moving_people import address_of, deployed, lead, moving, moving_warehouse

__all__ = ["address_of", "deployed", "lead", "moving", "moving_warehouse"]
