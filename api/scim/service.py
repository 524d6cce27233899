"""The SCIM service: the resources, the capabilities, and how far payloads may depart from the standard.

Keep out: storage (storage.py), sizes of requests (limits.py).
"""

from functools import cache
from http import HTTPStatus
from typing import Any

from scim2_models import (
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    Context,
    ETag,
    Filter,
    Patch,
    PatchOp,
    Resource,
    ResponseParameters,
    Schema,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Sort,
)
from scim2_server.conditions import Conditions
from scim2_server.responses import ScimResponse
from scim2_server.service import ScimService
from scim2_server.utils import load_default_resource_types, load_default_schemas

from api.scim.member_patches import patch_group

USER, GROUP = "User", "Group"
MAX_RESULTS = 200
# Attributes that the service neither needs nor keeps: directories may send them.
NOT_KEPT = frozenset({"password", "x509Certificates", "photos", "entitlements"})
# What Okta and Entra send beyond the standard.
TOLERANT = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
CONFIG = ServiceProviderConfig(
    documentation_uri=None,
    patch=Patch(supported=True),
    bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
    filter=Filter(supported=True, max_results=MAX_RESULTS),
    change_password=ChangePassword(supported=False),
    sort=Sort(supported=True),
    etag=ETag(supported=True),
    authentication_schemes=[
        AuthenticationScheme(
            type=AuthenticationScheme.Type.oauthbearertoken,
            name="SCIM token",
            description="A token that an owner or admin of the organization creates: `Authorization: Bearer scim_…`.",
            primary=True,
        )
    ],
)


@cache
def provider() -> ScimProvider:
    """The description of the service."""
    schemas = [_kept(schema) for schema in load_default_schemas().values()]
    return ScimProvider.from_discovery(
        schemas, load_default_resource_types().values(), config=CONFIG, policy=TOLERANT
    )


class Service(ScimService):
    """The protocol with two habits of directories: Okta reads the user in the answer to its PATCH, and a PUT without
    `active` says nothing about it.
    """

    def apply_replacement(
        self, current: Resource[Any], replacement: Resource[Any], conditions: Conditions
    ) -> Resource[Any] | None:
        """The new state of a resource: a user without `active` stays what it is."""
        given: Any = replacement
        if getattr(given, "active", True) is None:
            given.active = getattr(current, "active", None)
        return super().apply_replacement(current, replacement, conditions)

    def apply_patch(
        self, current: Resource[Any], patch_op: "PatchOp[Any]", conditions: Conditions
    ) -> Resource[Any] | None:
        """The new state of a resource; None where nothing changes."""
        if current.meta is None or current.meta.resource_type != GROUP:
            return super().apply_patch(current, patch_op, conditions)
        self.check_preconditions(current, "PATCH", conditions)
        return current if patch_group(current, patch_op) else None

    def patch_response(
        self, base_url: str, resource: Resource[Any], response_parameters: ResponseParameters[Any]
    ) -> ScimResponse:
        """A user with 200; a group with 204 unless it is asked for, because it may have thousands of members."""
        meta = resource.meta
        assert meta is not None
        is_asked = response_parameters.attributes or response_parameters.excluded_attributes
        if meta.resource_type == GROUP and not is_asked:
            return ScimResponse(HTTPStatus.NO_CONTENT, None, {"ETag": meta.version} if meta.version else {})
        published = self.publish(base_url, resource)
        return self.resource_response(published, Context.RESOURCE_REPLACEMENT_RESPONSE, response_parameters)


@cache
def service() -> Service:
    """The service of every organization: it holds no data."""
    return Service(provider())


def _kept(schema: Schema) -> Schema:
    schema.attributes = [one for one in schema.attributes or [] if one.name not in NOT_KEPT]
    return schema
