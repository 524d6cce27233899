"""Accounts of the command line: what is checked before the password, where it comes from, and roles."""

import os
import pty
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

import orchestration
from api.control.accounts import accounts, members
from api.control.accounts.passwords import Passwords, checklist
from api.control.list_pages import ListQuery
from orchestration.cli import app
from orchestration.deployment import Deployment

runner = CliRunner()
PROCESS = [sys.executable, "-c", "from orchestration.cli import main; main()"]
PASSWORD = "Correct-horse 9 staple"


def at_a_terminal(arguments: list[str], typed: bytes) -> tuple[int, str]:
    """Run `eas` at a terminal of its own, where somebody types. The exit code and all that is shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROCESS, *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown, answers = b"", typed.splitlines(keepends=True)
    with suppress(OSError):  # the end of the terminal
        while select.select([ours], [], [], 60)[0]:
            shown += os.read(ours, 4096)
            # The space follows when the terminal no longer shows what is typed.
            if shown.endswith(b": ") and answers:
                os.write(ours, answers.pop(0))
    process.kill()
    os.close(ours)
    return process.wait(), " ".join(shown.decode().split())


def test_an_account_is_created_with_a_typed_password(deployment: Deployment) -> None:
    answer = runner.invoke(
        app,
        ["account", "create", "Ada@example.org", "--name", "Ada", "--organization", "local"],
        input=f"{PASSWORD}\n{PASSWORD}\n",
    )
    assert answer.exit_code == 0, answer.output
    assert PASSWORD not in answer.output
    with deployment.control() as control:
        account = accounts.recognize(control, Passwords(8), "ada@example.org", PASSWORD)
        listed = members.list_members(control, control.organization("local").id, ListQuery(10)).items
    assert account.is_verified
    assert not account.is_platform_administrator
    assert [(member.id, member.role) for member in listed] == [(account.id, "owner")]


def test_a_created_account_is_told_with_its_rights(deployment: Deployment) -> None:
    arguments = ["account", "create", "bob@example.org", "--name", "Bob", "--organization", "local"]
    answer = runner.invoke(app, [*arguments, "--role", "member", "--administrator"], input=f"{PASSWORD}\n")
    assert answer.stdout == (
        "Created an account for bob@example.org, member of local, platform administrator.\n"
    )


def test_a_piped_password_is_read_without_a_warning(deployment: Deployment) -> None:
    done = subprocess.run(
        [*PROCESS, "account", "create", "ada@example.org", "--name", "Ada"],
        input=f"{PASSWORD}\n", capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "Created an account for ada@example.org.\n", "")


def test_a_terminal_shows_the_rules_of_a_password_before_it_asks(deployment: Deployment) -> None:
    answers = f"{PASSWORD}\n{PASSWORD}\n".encode()
    done, shown = at_a_terminal(["account", "create", "ada@example.org", "--name", "Ada"], answers)
    assert done == 0
    assert shown.index("A password needs at least 8 characters, a lower-case letter,") < shown.index(
        "Password:"
    )
    assert PASSWORD not in shown
    assert "Created an account for ada@example.org." in shown


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nothing", "--name", "Ada"], "an address such as ada@example.org"),
        (["ada@example.org", "--name", "Ada"], "already registered"),
        (["eve@example.org", "--name", " "], "name"),
        (["eve@example.org", "--name", "Eve", "--role", "king"], "--role: use one of"),
        (["eve@example.org", "--name", "Eve", "--organization", "nobody"], "nobody"),
    ],
)
def test_everything_is_checked_before_the_password_is_asked_for(
    deployment: Deployment, arguments: list[str], reason: str
) -> None:
    with deployment.control() as control:
        accounts.sign_up(control, Passwords(8), "Ada@example.org", PASSWORD, "Ada")
    done, shown = at_a_terminal(["account", "create", *arguments], b"")
    assert done == 2
    assert reason in shown
    assert "assword:" not in shown


def test_the_docs_have_the_rules_of_a_password() -> None:
    docs = (Path(orchestration.__file__).parent.parent / "docs" / "administration" / "README.md").read_text()
    assert f"A password needs {checklist()}." in " ".join(docs.split())


def test_an_account_can_be_granted_a_role(deployment: Deployment) -> None:
    typed = f"{PASSWORD}\n{PASSWORD}\n"
    runner.invoke(app, ["account", "create", "ada@example.org", "--name", "Ada"], input=typed)
    for arguments, told in (
        (["--organization", "local"], "owner of local"),
        (["--administrator"], "platform administrator"),
    ):
        answer = runner.invoke(app, ["account", "grant", "ADA@example.org", *arguments])
        assert (answer.exit_code, answer.stdout) == (0, f"ADA@example.org is {told} now.\n")
    with deployment.control() as control:
        [member] = members.list_members(control, control.organization("local").id, ListQuery(10)).items
        account = accounts.account(control, member.id)
    assert (member.role, account.is_platform_administrator) == ("owner", True)


def test_a_role_is_granted_to_an_unverified_address_only_if_the_operator_says_so(
    deployment: Deployment,
) -> None:
    with deployment.control() as control:
        made = accounts.sign_up(control, Passwords(8), "ada@example.org", PASSWORD, "Ada")
    for arguments in (["--organization", "local"], ["--administrator"]):
        grant = ["account", "grant", "ada@example.org", *arguments]
        refused = runner.invoke(app, grant)
        assert refused.exit_code == 2
        assert "--unverified" in refused.output
        assert runner.invoke(app, [*grant, "--unverified"]).exit_code == 0
    with deployment.control() as control:
        assert accounts.account(control, made.id).is_platform_administrator


@pytest.mark.parametrize(
    ("arguments", "typed", "reason"),
    [
        (["create", "ada@example.org", "--name", "Ada"], "weak\nweak\n", "at least 8 characters"),
        (["create", "nothing", "--name", "Ada"], f"{PASSWORD}\n{PASSWORD}\n", "address such as"),
        (
            ["create", "a@b.cc", "--name", "A", "--organization", "nobody"],
            f"{PASSWORD}\n{PASSWORD}\n",
            "nobody",
        ),
        (["create", "a@b.cc", "--name", "A", "--role", "king"], f"{PASSWORD}\n{PASSWORD}\n", "team_lead"),
        (
            ["create", "a@b.cc", "--name", "A", "--role", "member"],
            f"{PASSWORD}\n{PASSWORD}\n",
            "--organization",
        ),
        (["grant", "ada@example.org", "--organization", "local"], "", "no account is registered"),
        (["grant", "ada@example.org"], "", "--organization"),
    ],
)
def test_a_refused_account_names_the_reason(
    deployment: Deployment, arguments: list[str], typed: str, reason: str
) -> None:
    answer = runner.invoke(app, ["account", *arguments], input=typed)
    assert answer.exit_code == 2
    assert reason in answer.output
    assert PASSWORD not in answer.output
