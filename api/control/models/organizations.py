"""Organizations and their company contexts."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from sqlalchemy import JSON, CheckConstraint, String, Text, false, true
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, OwnedByKey


class Organization(Base):
    __tablename__ = "organizations"
    __table_args__ = (
        CheckConstraint(
            "work_category_grouping in ('five', 'three', 'two')", name="ck_organizations_grouping"
        ),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    slug: Mapped[str] = mapped_column(String(63), unique=True)
    time_zone: Mapped[str] = mapped_column(String(64))
    work_category_grouping: Mapped[str] = mapped_column(String(8))
    created_at: Mapped[datetime]
    # For repositories that have no date of their own.
    analysis_start_on: Mapped[date | None]
    # The version of the newest row of company_contexts; 0 before the first.
    context_version: Mapped[int] = mapped_column(server_default="0")
    has_ai_developer_columns: Mapped[bool] = mapped_column(server_default=true())
    has_ai_repository_columns: Mapped[bool] = mapped_column(server_default=true())
    has_ai_team_columns: Mapped[bool] = mapped_column(server_default=true())
    has_individual_figures: Mapped[bool] = mapped_column(server_default=true())
    # The least number of people behind a figure; 0 and 1 allow any number.
    minimum_group_size: Mapped[int] = mapped_column(server_default="0")
    # Whether a model endpoint is asked for categories of commits that the rules are unsure of.
    has_categories_by_model: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # ISO numbers of the working days, ascending; 1 is Monday.
    working_weekdays: Mapped[str] = mapped_column(String(7), server_default="12345", default="12345")
    hours_per_day_hundredths: Mapped[int] = mapped_column(server_default="800", default=800)
    # Days without work: `{"date": "2026-12-25", "name": "Christmas"}`, by date.
    holidays: Mapped[list[dict[str, str]]] = mapped_column(JSON, server_default="[]", default=list)
    # Whether schedules read the repositories, or only requests of people do.
    analysis_mode: Mapped[str] = mapped_column(String(16), server_default="automatic", default="automatic")
    # How members sign in (accounts/sign_in_rules.py). Addresses of these domains need an identity provider.
    has_password_sign_in: Mapped[bool] = mapped_column(server_default=true(), default=True)
    has_deployment_providers: Mapped[bool] = mapped_column(server_default=true(), default=True)
    provider_domains: Mapped[list[str]] = mapped_column(JSON, server_default="[]", default=list)
    # trial, paid or unlimited.
    plan: Mapped[str] = mapped_column(String(16), server_default="unlimited", default="unlimited")
    # The engine of builds: duckdb or spark. Null: the one of the deployment.
    warehouse_engine: Mapped[str | None] = mapped_column(String(16))
    # Commits that may be analysed; null allows any number.
    commit_limit: Mapped[int | None]
    trial_ends_at: Mapped[datetime | None]
    trial_warned_at: Mapped[datetime | None]
    # When billable developers are counted next.
    renews_on: Mapped[date | None]

    @property
    def analysis_start_at(self) -> datetime | None:
        """The beginning of the default start day in the organization's time zone."""
        if self.analysis_start_on is None:
            return None
        midnight = datetime.combine(self.analysis_start_on, time(), ZoneInfo(self.time_zone))
        return midnight.astimezone(UTC)

    def day_of(self, instant: datetime) -> date:
        """The day of an instant in the organization's time zone."""
        return instant.astimezone(ZoneInfo(self.time_zone)).date()


class CompanyContext(OwnedByKey):
    """A version of the company context, one row per change. A summary names its version."""

    __tablename__ = "company_contexts"

    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
