"""Invariants of the table of rights. tests/api/callers/test_access.py checks its entries."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from api.control.permissions import Permission, Role, allows
from api.control.principals import Membership, Principal

RANKS = [Role.TEAM_LEAD, Role.VIEWER, Role.MEMBER, Role.ADMIN, Role.OWNER]
# Leads have these within their teams alone, and viewers nowhere.
WITHIN_LED_TEAMS = {Permission.MANAGE_CHECKS}
roles = st.sampled_from(RANKS)
permissions = st.sampled_from(list(Permission))


@st.composite
def principals(draw: st.DrawFn) -> Principal:
    """A signed-in account or one of its keys, with any memberships."""
    is_key = draw(st.booleans())
    memberships = tuple(
        Membership(name, f"slug-of-{name}", draw(roles))
        for name in draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=1 if is_key else 4))
    )
    return Principal(
        account_id="account",
        email="ada@example.org",
        token_id="key" if is_key else None,
        token_name="ci" if is_key else None,
        session_id=None if is_key else "session",
        may_write=draw(st.booleans()) if is_key else True,
        is_platform_administrator=draw(st.booleans()) and not is_key,
        memberships=memberships,
        active_organization_id=None,
    )


def test_every_role_is_ranked() -> None:
    assert set(RANKS) == set(Role)


@given(permissions, roles, roles, st.booleans(), st.booleans())
def test_a_higher_role_may_all_that_a_lower_one_may(
    permission: Permission, one: Role, other: Role, administrator: bool, may_write: bool
) -> None:
    low, high = sorted((one, other), key=RANKS.index)
    assume(not (low is Role.TEAM_LEAD and permission in WITHIN_LED_TEAMS))
    if allows(permission, low, is_platform_administrator=administrator, may_write=may_write):
        assert allows(permission, high, is_platform_administrator=administrator, may_write=may_write)


@given(permissions, principals(), st.sampled_from("abcd"))
def test_a_read_only_key_may_read_what_its_creator_may(
    permission: Permission, principal: Principal, organization: str
) -> None:
    reading = replace(principal, may_write=False)
    writing = replace(principal, may_write=True)
    assert reading.may(permission, organization) == (
        writing.may(permission, organization) and not permission.writes
    )


@given(permissions, principals(), st.sampled_from("abcd"))
def test_a_platform_administrator_without_membership_only_manages_members_and_plans(
    permission: Permission, principal: Principal, organization: str
) -> None:
    outside = replace(
        principal, memberships=tuple(m for m in principal.memberships if m.organization_id != organization)
    )
    managing = {
        Permission.SEE_ORGANIZATION,
        Permission.READ_MEMBERS,
        Permission.READ_INVITATIONS,
        Permission.MANAGE_MEMBERS,
        Permission.READ_PLAN,
        Permission.MANAGE_PLAN,
        Permission.READ_BILLABLE,
    }
    allowed = principal.is_platform_administrator and permission in managing
    assert outside.may(permission, organization) == allowed


@given(principals(), st.sampled_from("abcd"))
def test_a_membership_is_found_by_id_and_by_slug_alike(principal: Principal, organization: str) -> None:
    assert principal.membership(organization) == principal.membership(f"slug-of-{organization}")
