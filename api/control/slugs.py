"""Slugs: the part of an organization's address that is made from its name. Keep out: storing one (store.py)."""

import re
import unicodedata

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Organization

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
ID_SHAPED = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def free_slug(session: Session, name: str) -> str:
    """A slug made from a name, with a number when it is taken. It never has the form of an id."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50].strip("-") or "organization"
    if ID_SHAPED.fullmatch(base):
        base = f"organization-{base}"
    taken = set(session.scalars(select(Organization.slug).where(Organization.slug.startswith(base))))
    number = 1
    slug = base
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug
