from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import UnsupportedTarget
from ingest.git.remote import url

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
OTHER = "0190d3b0-0000-7000-8000-000000000002"

label = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
hosts = st.builds(lambda *labels: ".".join(labels), label, label, st.sampled_from(["com", "org", "test"]))
names = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,12}[A-Za-z0-9_]", fullmatch=True).filter(
    lambda name: not name.endswith(".git")
)
paths = st.lists(names, min_size=2, max_size=4).filter(lambda parts: parts[0] != "v3").map("/".join)


@given(hosts, paths, st.sampled_from(["", "me@", "me:secret@", ":secret@", "me:a%40b@"]), st.data())
def test_every_spelling_of_an_address_is_the_same_repository(
    host: str, path: str, userinfo: str, data: st.DataObject
) -> None:
    end = data.draw(st.sampled_from(["", "/", ".git", ".git/", "//"]))
    spelled = data.draw(st.sampled_from([host, host.upper(), host.title()]))
    spellings = [
        f"https://{userinfo}{spelled}/{path}{end}",
        f"HTTPS://{userinfo}{spelled}:443/{path}{end}",
        f"http://{userinfo}{spelled}:80//{path}{end}",
        f"ssh://git@{spelled}/{path}{end}",
        f"ssh://git@{spelled}:22/{path}{end}",
        f"git://{spelled}:9418/{path}{end}",
        f"git@{spelled}:{path}{end}",
        f"{spelled}:/{path}{end}",
        f" https://{spelled}/{path}{end} ",
    ]
    assert {url.normalize(s) for s in spellings} == {f"{host}/{path}"}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://github.com/Owner/Repo.git", "github.com/Owner/Repo"),
        ("git@github.com:Owner/Repo", "github.com/Owner/Repo"),
        ("ssh://git@ssh.github.com:443/Owner/Repo.git", "github.com/Owner/Repo"),
        ("https://www.github.com/Owner/Repo", "github.com/Owner/Repo"),
        ("https://host.org:8443/a/b", "host.org:8443/a/b"),
        ("ssh://git@host.org:2222/a/b.git", "host.org:2222/a/b"),
        ("https://gitlab.com/group/sub/project.git", "gitlab.com/group/sub/project"),
        ("ssh://git@[2001:db8::1]:2222/a/b", "[2001:db8::1]:2222/a/b"),
        ("git@[2001:db8::1]:a/b", "[2001:db8::1]/a/b"),
        ("https://host.org./a/b", "host.org/a/b"),
        ("https://host.org/~me/b", "host.org/~me/b"),
        ("https://org@dev.azure.com/org/My%20Project/_git/repo", "dev.azure.com/org/My Project/_git/repo"),
        ("git@ssh.dev.azure.com:v3/org/My%20Project/repo", "dev.azure.com/org/My Project/_git/repo"),
        (
            "https://org.visualstudio.com/DefaultCollection/project/_git/repo",
            "dev.azure.com/org/project/_git/repo",
        ),
        ("org@vs-ssh.visualstudio.com:v3/org/project/repo", "dev.azure.com/org/project/_git/repo"),
        ("https://dev.azure.com/org/_git/project", "dev.azure.com/org/project/_git/project"),
    ],
)
def test_hosts_with_several_names_are_normalized_to_one(address: str, expected: str) -> None:
    assert url.normalize(address) == expected


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        normalized = url.normalize(text)
    except UnsupportedTarget:
        return
    host, _, path = normalized.partition("/")
    assert host
    assert path
    assert not path.startswith("-")


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/somebody/../owner/repo",
        "https://github.com/owner/./repo",
        "https://github.com/somebody/%2e%2E/owner/repo",
        "ssh://git@host.org/~/../owner/repo",
        "git@host.org:../owner/repo.git",
    ],
)
def test_dots_do_not_give_a_repository_a_second_address(address: str) -> None:
    with pytest.raises(UnsupportedTarget, match="in its path: remove them"):
        url.normalize(address)
    assert url.normalize("https://github.com/.github/..repo..") == "github.com/.github/..repo.."


@given(st.text(min_size=12, max_size=60))
def test_a_refusal_does_not_repeat_the_address(text: str) -> None:
    with pytest.raises(UnsupportedTarget) as caught:
        url.parse(f"ext::{text}")
    assert text not in str(caught.value)


@given(
    hosts,
    paths,
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8).map("s3cr3t".__add__),
)
def test_a_secret_appears_only_in_its_field(host: str, path: str, secret: str) -> None:
    quoted = "".join(f"%{byte:02X}" for byte in secret.encode())
    address = url.parse(f"https://me:{quoted}@{host}/{path}")
    assert address.secret == secret
    assert secret not in f"{address!r} {address.url} {url.normalize(address.url)}"
    assert quoted not in f"{address!r} {address.url}"


def test_the_address_for_git_keeps_the_parts_that_ssh_needs() -> None:
    assert url.parse("git@host.org:owner/repo.git").url == "git@host.org:owner/repo.git"
    assert url.parse("ssh://git:secret@host.org:2222/a/b").url == "ssh://git@host.org:2222/a/b"
    assert url.parse("https://me:secret@host.org/a/b").url == "https://host.org/a/b"


@pytest.mark.parametrize(
    ("normalized", "name"),
    [
        ("github.com/Owner/Repo", "Owner/Repo"),
        ("gitlab.com/group/sub/project", "group/sub/project"),
        ("dev.azure.com/org/project/_git/repo", "org/project/repo"),
    ],
)
def test_a_repository_is_shown_without_its_host(normalized: str, name: str) -> None:
    assert url.display_name(normalized) == name
