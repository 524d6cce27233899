"""Malformed and misspelled settings: one sentence each, which names the variable and a remedy and no secret."""

from pathlib import Path

import pytest

from api.operator.environment import StartRefused, malformed, misspelled, value_in, value_of
from api.operator.readers import HostList, MailServer
from api.operator.variables import VARIABLES

# Of each setting a text that is none of its values, and a part of the sentence about it.
WRONG = [
    ("RAW_DIR", "s4://bucket", "names no known storage; set it to a folder"),
    ("EAS_RAW_DIR", "adl://bucket", "needs a package that is not installed"),
    ("EAS_WORKERS", "many", "='many' is no whole number from 1 to 64; use one"),
    ("EAS_WORKERS", "0", "from 1 to 64"),
    ("EAS_WORKERS", "65", "from 1 to 64"),
    ("EAS_WORKERS", "1_0", "from 1 to 64"),
    ("EAS_WORKERS", "9" * 5000, "from 1 to 64"),
    ("EAS_EXTRACTION_ENGINE", "nonsense", "is no engine; use one of auto, native, python"),
    ("EAS_READ_TIMEOUT_SECONDS", "0", "a number above 0"),
    ("EAS_READ_TIMEOUT_SECONDS", "nan", "a number above 0"),
    ("EAS_GIT_TIMEOUT_SECONDS", "inf", "a number above 0"),
    ("EAS_READ_MEMORY_MB", "255", "of at least 256"),
    ("EAS_GIT_TOKEN", "tok\nsecret", "has a line break"),
    ("EAS_GIT_TOKEN_HOSTS", "10.0.0.0/8", "names and addresses of hosts"),
    ("EAS_TRUSTED_PROXIES", "foo", "list addresses and networks"),
    ("EAS_TRUSTED_PROXIES", "10.0.0.1,*", "list addresses and networks"),
    ("EAS_PRIVATE_HOSTS", "10.0.0.0/99", "is no host name, address or network"),
    ("EAS_PRIVATE_HOSTS", "http://x", "is no host name, address or network"),
    ("EAS_PRIVATE_HOSTS", "user@host", "is no host name, address or network"),
    ("EAS_PRIVATE_HOSTS", "host:22", "is no host name, address or network"),
    ("EAS_PRIVATE_HOSTS", "10.1.2", "is no host name, address or network"),
    ("EAS_SECRET_KEY", "abc", "`openssl rand -base64 32`"),
    ("EAS_PASSWORD_SIGN_IN", "off", "='off' is neither true nor false"),
    ("EAS_DEPLOYMENT", "selfhosted", "use one of local, self_hosted, cloud"),
    ("EAS_ADMINISTRATOR_KEY", "private", "set it to the public key that"),
    ("EAS_CHECKOUT_URL", "https://pay.example/#top", "starts with https:// and has no #"),
    ("EAS_CHECKOUT_URL", "https:pay", "starts with https:// and has no #"),
    ("EAS_BILLING_SECRET", "short", "`openssl rand -hex 32`"),
    ("EAS_API_HOST", "a b", "is no host name"),
    ("EAS_API_HOST", "999.1.1.1", "is no host name"),
    ("EAS_API_PORT", "http", "from 0 to 65535"),
    ("EAS_API_PORT", "65536", "from 0 to 65535"),
    ("EAS_APP_URL", "eas.example", "use one such as https://"),
    ("EAS_APP_URL", "https://[::1", "use one such as https://"),
    ("EAS_APP_URL", "https://eas.example:99999", "use one such as https://"),
    ("EAS_APP_URL", "ftp://eas.example", "use one such as https://"),
    ("EAS_APP_URL", "https://eas.example/?a=b", "use the address without it"),
    ("EAS_SMTP_URL", "mail.example", "use smtp://"),
    ("EAS_SMTP_URL", "http://mail.example", "use smtp://"),
    ("EAS_SMTP_URL", "smtp:///mail", "use smtp://"),
    ("EAS_SMTP_URL", "smtp://mail.example:port", "use smtp://"),
    ("EAS_MAIL_FROM", "nobody", "use one such as eas@"),
    ("EAS_API_PROCESSES", "none", "from 1 to 64"),
    ("EAS_API_RESPONSE_CACHE_MB", "-1", "of at least 0"),
    ("EAS_RUN_QUEUE", "localhost:6379", "use redis://"),
    ("EAS_RUN_QUEUE", "amqp://u:p@h", "use redis://"),
    ("EAS_RUN_SLOTS", "1", "from 2 to 1024"),
    ("EAS_DAGSTER_DATABASE_URL", "postgresql+psycopg://u:p@h/d", "use postgresql+psycopg2://"),
    ("EAS_WAREHOUSE_MEMORY", "lots", "use one such as 6GB"),
    ("CONTROL_DATABASE_URL", "nonsense", "use postgresql+psycopg://"),
    ("CONTROL_DATABASE_URL", "mysql://u:p@h/d", "use postgresql+psycopg://"),
    ("CONTROL_DATABASE_URL", "postgresql+asyncpgx://u:p@h/d", "use postgresql+psycopg://"),
    ("CONTROL_DATABASE_URL", "postgresql://h:port/d", "use postgresql+psycopg://"),
    ("DISABLE_SERVICE_SUPPORT_ACCESS", "yes", "='yes' is neither true nor false"),
    ("EAS_SIGN_IN_GOOGLE_NAME", "a\tb", "has a line break"),
]


@pytest.mark.parametrize(
    ("name", "given"),
    [("EAS_RUN_QUEUE", "redis://h"), ("EAS_DAGSTER_DATABASE_URL", "postgresql+psycopg2://u:p@h/d")],
)
def test_packages_that_a_setting_needs_are_named(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str
) -> None:
    monkeypatch.setattr("api.operator.machines.util.find_spec", lambda _: None)
    with pytest.raises(StartRefused, match="packages that are not installed; install them: pip install"):
        value_in(name, given)
    monkeypatch.setattr("api.operator.machines.util.find_spec", lambda _: object())
    assert value_in(name, given) == given


@pytest.mark.parametrize(("name", "given", "told"), WRONG)
def test_a_malformed_value_is_named_with_a_remedy(name: str, given: str, told: str) -> None:
    with pytest.raises(StartRefused) as caught:
        value_in(name, given)
    sentence = str(caught.value)
    assert caught.value.name == name
    assert sentence.startswith(name)
    assert told in sentence
    assert ";" in sentence
    assert len(sentence) < 400
    assert sentence.isprintable()
    if VARIABLES[name].is_secret:
        assert given not in sentence


def test_an_address_with_a_password_is_not_repeated() -> None:
    with pytest.raises(StartRefused) as caught:
        value_in("EAS_APP_URL", "ftp://me:word@eas.example")
    assert "word" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("EAS_WORKERS", " 64 ", 64),
        ("EAS_API_PORT", "0", 0),
        ("EAS_READ_TIMEOUT_SECONDS", "1.5", 1.5),
        ("EAS_TRUSTED_PROXIES", "*", "*"),
        ("EAS_TRUSTED_PROXIES", "10.0.0.1, ::1, 10.1.0.0/16", "10.0.0.1, ::1, 10.1.0.0/16"),
        ("EAS_PRIVATE_HOSTS", "Git.Example., my_host", HostList(frozenset({"git.example", "my_host"}))),
        ("EAS_PRIVATE_HOSTS", "bücher.example", HostList(frozenset({"bücher.example"}))),
        ("EAS_LICENSE_KEY", "broken\nover lines", "broken\nover lines"),
        ("EAS_GIT_TOKEN_HOSTS", "Git.example ,10.0.0.1", "git.example,10.0.0.1"),
        ("EAS_PASSWORD_SIGN_IN", "FALSE", False),
        ("EAS_API_HOST", "::", "::"),
        ("EAS_API_HOST", "localhost", "localhost"),
        ("EAS_APP_URL", "https://eas.example:8443/path/", "https://eas.example:8443/path/"),
        ("EAS_SMTP_URL", "smtp://m.example", MailServer("m.example", 587, False)),
        ("EAS_SMTP_URL", "smtps://a%40b:p%3A@m.example", MailServer("m.example", 465, True, "a@b", "p:")),
        ("EAS_SMTP_URL", "smtp://m.example:25", MailServer("m.example", 25, False)),
        ("EAS_MAIL_FROM", "Analytics <eas@example.org>", "Analytics <eas@example.org>"),
        ("EAS_BILLING_SECRET", f"{'a' * 32}, {'b' * 32},", ("a" * 32, "b" * 32)),
        ("EAS_SECRET_KEY", f"{'A' * 43}=,{'/' * 42}8=", (bytes(32), b"\xff" * 32)),
        ("CONTROL_DATABASE_URL", "sqlite:////x/y.db", "sqlite:////x/y.db"),
        ("RAW_DIR", "memory://bucket/raw/", "memory://bucket/raw"),
        ("EAS_WORKERS", "  ", None),
    ],
)
def test_a_value_is_read(name: str, given: str, value: object) -> None:
    assert value_in(name, given) == value
    assert value_of(name, {name: given}) == value
    assert value_of(name, {}) is None


@pytest.mark.parametrize("below", ["", "/child"])
def test_a_file_in_the_place_of_the_data_folder_is_named_with_the_remedy(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartRefused, match=f"{tmp_path}/file.* is .*a file; set it to a folder"):
        value_in("EAS_DATA_DIR", f"{tmp_path}/file{below}")
    assert value_in("EAS_DATA_DIR", f"{tmp_path}/new/folder") == tmp_path / "new" / "folder"


def test_every_malformed_variable_is_found() -> None:
    given = {name: value for name, value, _ in WRONG}
    assert {error.name for error in malformed(given)} == given.keys()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("EAS_SIGN_IN_GOOGLE_CLIENTID", "EAS_SIGN_IN_GOOGLE_CLIENT_ID"),
        ("EAS_WORKER", "EAS_WORKERS"),
        ("eas_data_dir", "EAS_DATA_DIR"),
        ("EAS_APPURL", "EAS_APP_URL"),
        ("EAS_SMTP", "EAS_SMTP_URL"),
        ("DISABLE_SERVICE_SUPPORT_ACCES", "DISABLE_SERVICE_SUPPORT_ACCESS"),
        ("EAS_SIGN_IN_OKTA_CLIENT_ID", "OPENID_CONNECT, the last for any other provider"),
    ],
)
def test_a_misspelled_name_is_found_with_what_it_may_mean(name: str, nearest: str) -> None:
    [(found, sentence)] = misspelled({name: "tok_secret", "EAS_WORKERS": "2", "PATH": "/bin"})
    assert found == name
    assert sentence.startswith(f"{name} is no setting of the service")
    assert nearest in sentence
    assert "tok_secret" not in sentence
