"""Nobody shuts all members out: by a policy, or by the removal of the provider that it needs."""

import pytest

from api.control.accounts.sign_in_rules import OfferedWays
from api.control.errors import NotPossible
from api.control.identity_providers.policies import SignInPolicy, change_policy, policy
from api.control.identity_providers.providers import list_providers, remove_provider
from api.control.list_pages import ListQuery
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.control.identity_providers.sign_ins import added
from tests.api.people import EVERY_WAY

pytestmark = pytest.mark.both_databases

NO_PASSWORD = {"has_password_sign_in": False}
SOME_NEED_ONE = {"provider_domains": ["acme.example"]}
OWN_ONLY = {"has_deployment_providers": False}
PASSWORDS, PROVIDERS, NOTHING = OfferedWays(True, False), OfferedWays(False, True), OfferedWays(False, False)

# What members need, what the deployment offers, and whether they could sign in without a provider of their own.
CASES = [
    ({}, EVERY_WAY, True),
    ({}, PASSWORDS, True),
    ({}, PROVIDERS, True),
    ({}, NOTHING, False),
    (NO_PASSWORD, EVERY_WAY, True),
    (NO_PASSWORD, PASSWORDS, False),
    (NO_PASSWORD, PROVIDERS, True),
    (SOME_NEED_ONE, EVERY_WAY, True),
    (SOME_NEED_ONE, PASSWORDS, False),
    (OWN_ONLY, EVERY_WAY, True),
    (OWN_ONLY, PROVIDERS, False),
    (OWN_ONLY | NO_PASSWORD, EVERY_WAY, False),
    (OWN_ONLY | SOME_NEED_ONE, EVERY_WAY, False),
]
each_case = pytest.mark.parametrize(("changes", "ways", "is_open"), CASES)


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


@each_case
def test_the_last_provider_stays_where_members_need_it(
    store: ControlStore, acme: str, changes: dict[str, object], ways: OfferedWays, is_open: bool
) -> None:
    first, last = (added(store, acme, name=name).id for name in ("First", "Last"))
    change_policy(store, OPERATOR, acme, changes, ways)
    remove_provider(store, OPERATOR, acme, first, ways)
    if is_open:
        remove_provider(store, OPERATOR, acme, last, ways)
    else:
        with pytest.raises(NotPossible, match="members could no longer sign in; first add another one"):
            remove_provider(store, OPERATOR, acme, last, ways)
    assert list_providers(store, acme, ListQuery(9)).total == (0 if is_open else 1)


@each_case
def test_a_policy_is_refused_where_members_have_no_provider(
    store: ControlStore, acme: str, changes: dict[str, object], ways: OfferedWays, is_open: bool
) -> None:
    if is_open or not changes:
        change_policy(store, OPERATOR, acme, changes, ways)
        return
    with pytest.raises(NotPossible, match="add an identity provider"):
        change_policy(store, OPERATOR, acme, changes, ways)
    assert policy(store, acme) == SignInPolicy()


def test_a_policy_may_always_accept_more(store: ControlStore, acme: str) -> None:
    """Also where the operator took the providers away on which it relied."""
    change_policy(store, OPERATOR, acme, NO_PASSWORD | SOME_NEED_ONE, EVERY_WAY)
    change_policy(store, OPERATOR, acme, {"provider_domains": []}, PASSWORDS)
    with pytest.raises(NotPossible, match="add an identity provider"):
        change_policy(store, OPERATOR, acme, SOME_NEED_ONE, PASSWORDS)
    assert policy(store, acme) == SignInPolicy(has_password_sign_in=False)


@pytest.mark.parametrize(("ways", "is_told"), [(PASSWORDS, True), (PROVIDERS, True), (NOTHING, False)])
def test_the_refusal_names_the_policy_only_where_it_can_help(
    store: ControlStore, acme: str, ways: OfferedWays, is_told: bool
) -> None:
    provider = added(store, acme).id
    change_policy(store, OPERATOR, acme, NO_PASSWORD | OWN_ONLY, ways)
    with pytest.raises(NotPossible) as refused:
        remove_provider(store, OPERATOR, acme, provider, ways)
    assert ("signInPolicy" in str(refused.value)) is is_told
