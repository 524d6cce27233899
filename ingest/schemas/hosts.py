"""Raw tables of `hosts` (one connection to a Git host per source).

A row is one version of its entity: the row of the highest `batch` holds today. Rows are written only if they changed.
Instants are UTC microseconds; text is UTF-8. `payload` is the provider's JSON, so that a mapping can be mended without
fetching again.
"""

import pyarrow as pa

from ingest.schemas.category import CONNECTION, VERSION, Category, Versions
from ingest.schemas.fields import field, flag, instant, integer, text


def _optional(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind)


EVENT = pa.struct(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False),
        _optional("actor", pa.string()),
        pa.field("actor_kind", pa.string(), nullable=False),
        _optional("detail", pa.string()),
    ]
)
SOURCE_COMMIT = pa.struct(
    [
        pa.field("sha", pa.string(), nullable=False),
        _optional("author_name", pa.string()),
        _optional("author_email", pa.string()),
        _optional("author_login", pa.string()),
        _optional("authored_at", pa.timestamp("us", tz="UTC")),
        _optional("message", pa.string()),
        _optional("committed_at", pa.timestamp("us", tz="UTC")),
    ]
)

REPOSITORIES = pa.schema(  # one row per version of a repository that the token reaches
    [
        *CONNECTION,
        text("provider_id", "Id of the repository at the provider; it survives renames."),
        text("owner", "Owner, group, workspace or project, with all its levels."),
        text("name", "Name of the repository without the owner."),
        text("address", "https address to clone from, without credentials."),
        text("url", "Page of the repository.", nullable=True),
        text(
            "default_branch", "Short name of the default branch; null for an empty repository.", nullable=True
        ),
        flag("is_archived", "True if the provider marks it archived, disabled or read-only."),
        flag("is_empty", "True if the provider says that it has no commit."),
        flag("is_fork", "True for a fork."),
        text(
            "parent",
            "Address to clone the repository from, of which it is a fork, without credentials; null where the host does not name it.",
            nullable=True,
        ),
        flag("is_private", "True if it is not public."),
        instant("created_at", "Time of creation, which is that of the fork.", nullable=True),
        instant("updated_at", "Last push or change that the provider names.", nullable=True),
        text("payload", "The provider's answer as JSON."),
        VERSION,
    ]
)

PULL_REQUESTS = pa.schema(  # one row per version of a pull request (merge request)
    [
        *CONNECTION,
        text("provider_id", "Id of the pull request, unique within the connection."),
        text("repository_id", "UUIDv5 of the repository into which it merges."),
        integer("number", "Number within the repository, as people see it."),
        text("title", "Title."),
        text("body", "Description.", nullable=True),
        text("state", "open, merged or closed (closed without a merge)."),
        flag("is_draft", "True for a draft."),
        text("author", "Login of the author; null if the account is deleted.", nullable=True),
        text("author_name", "Display name of the author.", nullable=True),
        text("author_kind", "person, bot or unknown, as the provider says."),
        instant("created_at", "Time of creation."),
        instant("updated_at", "Last change that the provider names."),
        instant("merged_at", "Time of the merge.", nullable=True),
        instant("closed_at", "Time of the close, with or without a merge.", nullable=True),
        text("merged_by", "Login of the person who merged.", nullable=True),
        text("source_branch", "Short name of the source branch.", nullable=True),
        text("target_branch", "Short name of the target branch."),
        flag("is_from_fork", "True if the source branch is in another repository."),
        text("head_sha", "Object id of the head of the source branch.", nullable=True),
        text("merge_sha", "Object id of the commit that the merge put on the target branch.", nullable=True),
        text("squash_sha", "Object id of the squash commit, if the provider names one.", nullable=True),
        integer("comment_count", "Comments that the provider counts.", nullable=True),
        integer("lines_added", "Added lines that the provider counts.", nullable=True),
        integer("lines_deleted", "Deleted lines that the provider counts.", nullable=True),
        text("url", "Page of the pull request.", nullable=True),
        field("labels", pa.list_(pa.string()), "Names of labels."),
        field("reviewers", pa.list_(pa.string()), "Logins of requested reviewers, without groups."),
        field("linked_issues", pa.list_(pa.string()), "Keys or addresses of issues that the provider links."),
        field(
            "events",
            pa.list_(EVENT),
            "By time. Kinds: ready, draft, review_requested, approved, changes_requested, reviewed, unapproved,"
            " commented, merged, closed, reopened, landed (a maintainer's comment names the commit). `actor` is a login, `actor_kind` person, bot or unknown; of"
            " unapproved it is the reviewer whose approval ends.",
        ),
        field("commits", pa.list_(SOURCE_COMMIT), "Commits of the source branch, oldest first."),
        integer("commit_count", "Commits of the source branch as the provider counts them."),
        text("payload", "The provider's answer as JSON."),
        VERSION,
    ]
)

GIT_HOST = Category(
    noun="hosts",
    name="GIT_HOST",
    title="Git host",
    reads="repositories and pull requests",
    job="sync_host",
    versions={
        "repositories": Versions(
            REPOSITORIES, "One row per version of a repository that the connection reaches."
        ),
        "pull_requests": Versions(
            PULL_REQUESTS, "One row per version of a pull request: people, times, events and commits."
        ),
    },
    lists_repositories=True,
)
