"""Saved groups whose figures others are compared with."""

from datetime import datetime

from sqlalchemy import JSON, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned


class Benchmark(Owned):
    """A group of developers or repositories, and how their figures become one."""

    __tablename__ = "benchmarks"
    __table_args__ = (
        UniqueConstraint("organization_id", "name_key", name="uq_benchmarks_name"),
        Index("ix_benchmarks_created", "organization_id", "created_at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    # The comparison key of the name (names.py).
    name_key: Mapped[str] = mapped_column(String(1024))
    # developer or repository.
    member_kind: Mapped[str] = mapped_column(String(16))
    # Not foreign keys: the analysis finds developers, and a removed repository leaves the group smaller.
    member_ids: Mapped[list[str]] = mapped_column(JSON)
    # average, median or percentile.
    aggregation: Mapped[str] = mapped_column(String(16))
    percentile: Mapped[int | None]
    created_by: Mapped[str] = mapped_column(String(254))
    created_at: Mapped[datetime]
