"""Every setting of the service that is an environment variable: its name, its reader and its sentence in the docs.

All processes know all of them, so that a misspelled or malformed one is noticed wherever it is set. The table in
docs/operations/settings.md has these sentences. Add: a variable. Keep out: the form of a value (readers.py), when
variables are read (environment.py). Defaults are with their users (api.settings, ingest.settings,
dbt_project/profiles.yml).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from api.operator import machines, readers
from api.operator.readers import MAX_PORT, whole_number
from api.operator.root_keys import problem_of_key

KIND = "EAS_DEPLOYMENT"
LICENSE = "EAS_LICENSE_KEY"
ADMINISTRATOR = "EAS_ADMINISTRATOR_KEY"
NO_SUPPORT = "DISABLE_SERVICE_SUPPORT_ACCESS"
ADDRESS = "EAS_APP_URL"
CHECKOUT = "EAS_CHECKOUT_URL"
BILLING = "EAS_BILLING_SECRET"
MAIL_SERVER = "EAS_SMTP_URL"
SECRET_KEY = "EAS_SECRET_KEY"
DATABASE = "CONTROL_DATABASE_URL"
SIGN_IN = "EAS_SIGN_IN_"
PASSWORDS = "EAS_PASSWORD_SIGN_IN"
LOG_FORMAT = "EAS_LOG_FORMAT"
PROVIDERS = ("MICROSOFT", "GOOGLE", "GITLAB", "GITHUB", "OPENID_CONNECT")
MAKE_KEY = f"`env -u {NO_SUPPORT} -u {ADMINISTRATOR} eas root-login new-key FILE`"
PREFIXES = ("EAS_", "DISABLE_SERVICE_")
"""A name that starts with one of them and is no variable of the service is misspelled."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A setting. `default` and `meaning` are Markdown. A message never has the value of a secret one."""

    name: str
    default: str
    meaning: str
    read: Callable[[str], object] = readers.text
    is_secret: bool = False


def _administrator_key(given: str) -> str:
    if problem := problem_of_key(given):
        raise ValueError(f"{problem}; set it to the public key that {MAKE_KEY} prints")
    return given


NONE = "–"
LISTED: tuple[Variable, ...] = (
    Variable(
        "EAS_DATA_DIR",
        "`data/` in the checkout",
        "folder of everything that the service writes",
        readers.folder,
    ),
    Variable(
        "RAW_DIR",
        "`$EAS_DATA_DIR/raw`",
        "raw lake: a path, or an [object store](data-directory.md#facts-in-an-object-store) such as `s3://bucket/raw`",
        readers.lake_root,
    ),
    Variable("EAS_RAW_DIR", NONE, "the same; it comes before `RAW_DIR`", readers.lake_root),
    Variable(
        DATABASE,
        "SQLite in the data directory",
        "control database, for example PostgreSQL",
        readers.database,
        is_secret=True,
    ),
    Variable(
        "EAS_WORKERS",
        "number of cores, at most 4",
        "repositories that are fetched, and processes that read, at the same time in one run. One repository gets all"
        " processes, two get half of them each, many get one each. Two scheduled runs that read at the same time share"
        " them",
        whole_number(1, 64),
    ),
    Variable(
        "EAS_EXTRACTION_ENGINE",
        "`auto`",
        "what reads changed files: `native` compiled code, `python`, or `auto`: compiled where that could be built. The"
        " facts are the same. `eas doctor` names the engine and why it is not the compiled one",
        readers.choice("auto", "native", "python", of="engine"),
    ),
    Variable(
        "EAS_READ_TIMEOUT_SECONDS",
        "21600",
        "limit for reading one repository; committed batches are kept, so the next run continues",
        readers.seconds,
    ),
    Variable(
        "EAS_READ_MEMORY_MB",
        "half of the machine's memory, at least 1024",
        "memory of each process that reads; when less than 5 % of the machine's memory is available, the largest reader"
        " ends",
        whole_number(256),
    ),
    Variable("EAS_MAX_REFS", "200000", "branches and tags of a repository", whole_number(1)),
    Variable(
        "EAS_MAX_COMMIT_PATHS",
        "1000000",
        "files and folders that differ between a commit and its parent",
        whole_number(1),
    ),
    # Walks of trees are recursive, which limits the limit.
    Variable("EAS_MAX_FOLDER_DEPTH", "200", "levels of folders, at most 400", whole_number(1, 400)),
    Variable("EAS_MAX_PATH_BYTES", "16384", "bytes of a path", whole_number(1)),
    Variable(
        "EAS_MAX_OBJECT_MB",
        "64",
        "size of a tree; a commit or tag may have an eighth of it",
        whole_number(1),
    ),
    Variable(
        "EAS_GIT_TOKEN",
        NONE,
        "token for https remotes: `secret`, `user:secret` or `Bearer secret`",
        is_secret=True,
    ),
    Variable(
        "EAS_GIT_TOKEN_HOSTS",
        NONE,
        "hosts, with commas, on which repositories added over the API are read with the token and your own Git logins"
        " (helpers, netrc, ssh keys); on other hosts they are read without login and without your Git configuration",
        readers.host_names,
    ),
    Variable("EAS_GIT_TIMEOUT_SECONDS", "7200", "limit of one clone or fetch", readers.seconds),
    Variable(
        "EAS_TRUSTED_PROXIES",
        NONE,
        "addresses and networks of proxies, with commas, whose `X-Forwarded-For` is believed; without it the limits on"
        " failed logins count everybody behind a proxy as one client",
        readers.trusted_proxies,
    ),
    Variable(
        "EAS_PRIVATE_HOSTS",
        NONE,
        "hosts, addresses and networks, with commas, from which the API may add repositories and connections although"
        " they are not public",
        readers.host_list,
    ),
    Variable(
        SECRET_KEY,
        "`secret.key` in the data directory",
        "key of the tokens of connections and the client secrets of identity providers: 32 bytes in Base64; several"
        " with commas, the newest first",
        readers.encryption_keys,
        is_secret=True,
    ),
    Variable(
        f"{SIGN_IN}<KIND>_CLIENT_ID",
        NONE,
        "client at an [identity provider](identity-providers.md) of the deployment; KIND is MICROSOFT, GOOGLE, GITLAB,"
        " GITHUB or OPENID_CONNECT",
    ),
    Variable(f"{SIGN_IN}<KIND>_CLIENT_SECRET", NONE, "secret of this client", is_secret=True),
    Variable(
        f"{SIGN_IN}<KIND>_ISSUER", "the public one of the kind", "issuer; OPENID_CONNECT has no default"
    ),
    Variable(f"{SIGN_IN}<KIND>_NAME", "the name of the kind", "name on the button"),
    Variable(
        PASSWORDS,
        "true",
        "false: nobody signs in, signs up or resets with a password",
        readers.switch,
    ),
    Variable(
        KIND,
        "local",
        "kind of deployment: `local`, `self_hosted` (needs a license) or `cloud`",
        readers.choice("local", "self_hosted", "cloud", of="kind of deployment"),
    ),
    # Reading goes on with a license that cannot be verified.
    Variable(LICENSE, NONE, "license of a self-hosted deployment", readers.anything, is_secret=True),
    Variable(
        ADMINISTRATOR,
        NONE,
        "public key that signs [root logins](root-logins.md), as `eas root-login new-key` prints it",
        _administrator_key,
        # Somebody may have set the private key.
        is_secret=True,
    ),
    Variable(
        NO_SUPPORT,
        "false",
        "`true`: the key of the service's support signs no root logins; needs `EAS_ADMINISTRATOR_KEY`",
        readers.switch,
    ),
    Variable(
        CHECKOUT,
        NONE,
        "address at which owners of a cloud deployment pay; their `reference` is added to it",
        readers.payment_address,
        is_secret=True,
    ),
    Variable(
        BILLING,
        NONE,
        "secret with which the payment system [signs](../administration/plans.md#events-of-the-payment-system), at"
        " least 32 characters; several with commas",
        readers.signing_secrets,
        is_secret=True,
    ),
    Variable("EAS_API_HOST", "127.0.0.1", "address at which `python -m api` listens", readers.listening_host),
    Variable("EAS_API_PORT", "8000", "its port, also of `eas serve`", whole_number(0, MAX_PORT)),
    Variable(
        "EAS_GRPC_PORT",
        NONE,
        "port at which it speaks [gRPC](../grpc.md) too; without it nothing does",
        whole_number(1, MAX_PORT),
    ),
    Variable(
        "EAS_METRICS_PORT",
        NONE,
        "port at which the operator's [metrics](monitoring.md) are offered; without it nothing offers them",
        whole_number(1, MAX_PORT),
    ),
    Variable(
        "EAS_METRICS_HOST",
        "127.0.0.1",
        "address of that port; one that other machines reach needs `EAS_METRICS_TOKEN`",
        readers.listening_host,
    ),
    Variable(
        "EAS_METRICS_TOKEN",
        NONE,
        "secret of at least 32 characters that a reader of metrics sends as a bearer token",
        readers.long_secret,
        is_secret=True,
    ),
    Variable(
        LOG_FORMAT,
        "text",
        "form of the API's log: `text`, or `json` with an object a line and the id of the request",
        readers.choice("text", "json", of="form of the log"),
    ),
    Variable(
        ADDRESS,
        "`http://127.0.0.1:` and `EAS_API_PORT`",
        "public address of the application: mailed links start with it, and root logins are signed for it; without it"
        " the service's support [cannot sign in](root-logins.md)",
        readers.web_address,
    ),
    Variable(
        MAIL_SERVER,
        NONE,
        "`smtp://user:password@host:587` (STARTTLS) or `smtps://…`; without it mails are files in `data/outbox/mails`,"
        " readable as text, each link in one line",
        readers.mail_server,
        is_secret=True,
    ),
    Variable("EAS_MAIL_FROM", "eas@localhost", "sender of the mails", readers.mail_sender),
    Variable("EAS_PASSWORD_MEMORY_KIB", "65536", "memory of one password hash", whole_number(8, 4_194_304)),
    Variable(
        "EAS_API_PROCESSES",
        "number of cores, at most 2",
        "processes that answer; the limits below hold for each of them",
        whole_number(1, 64),
    ),
    Variable(
        "EAS_API_CONNECTIONS_PER_CLIENT",
        "128",
        "connections of one address (IPv6: of one /64 network) to each process; trusted proxies are not counted",
        whole_number(1),
    ),
    Variable("EAS_API_READ_THREADS", "2", "concurrent queries", whole_number(1, 64)),
    Variable(
        "EAS_API_READ_MEMORY_MB",
        "1024",
        "memory for queries and cached tables, per organization and build",
        whole_number(64),
    ),
    Variable(
        "EAS_API_RESPONSE_CACHE_MB", "32", "answers kept until the next build; 0 keeps none", whole_number(0)
    ),
    Variable(
        "EAS_WAREHOUSE_ENGINE",
        "duckdb",
        "engine of a build: `duckdb` or `spark`, which needs Java and the packages of `requirements-spark.lock`; `eas"
        " engine` chooses another for one organization. Up to 250,000 commits `duckdb` is"
        " [cheaper](../decisions/0007-duckdb-and-spark.md)",
        readers.choice("duckdb", "spark", of="engine of a build"),
    ),
    *(Variable(*one) for one in machines.SETTINGS),
    Variable("EAS_WAREHOUSE_MEMORY", "6GB", "memory of a build", readers.memory),
    Variable("EAS_WAREHOUSE_THREADS", "2", "threads of a build", whole_number(1, 1024)),
    Variable("EAS_DBT_THREADS", "2", "models that a build computes at the same time", whole_number(1, 1024)),
    Variable(
        "EAS_WAREHOUSE_PATH",
        "one per organization",
        "file of the warehouse where you call dbt yourself; a build sets it",
    ),
    Variable(
        "EAS_CONNECTION_TOKEN",
        NONE,
        "token for `eas connect`, instead of a prompt or standard input",
        is_secret=True,
    ),
    Variable("EAS_API_KEY", NONE, "API key with which `eas mcp` reads for an assistant", is_secret=True),
)
"""In the order of the docs. One whose name has `<KIND>` stands for one of each kind of identity provider."""


def _each(variable: Variable) -> tuple[tuple[str, Variable], ...]:
    if "<KIND>" not in variable.name:
        return ((variable.name, variable),)
    return tuple((variable.name.replace("<KIND>", kind), variable) for kind in PROVIDERS)


VARIABLES: dict[str, Variable] = dict(pair for variable in LISTED for pair in _each(variable))
"""By the whole name."""
