"""Commits with signs of AI tools and automatic accounts, and with names of people and branches that resemble them."""

from __future__ import annotations

from typing import Any

from tests.dbt.invented.invented_history import History, Repository

PERSON = ("Grace Hopper", "grace@navy.example.net")
CO_AUTHOR = "Co-authored-by"

# Fields of the commit → tool and role, or None if a person only resembles a tool.
COMMITS: list[tuple[dict[str, Any], tuple[str, str] | None]] = [
    ({"trailers": [(CO_AUTHOR, "Claude Opus <noreply@anthropic.com>")]}, ("Claude Code", "assisted")),
    ({"trailers": [("co-authored-BY", "x <NoReply@Anthropic.com>")]}, ("Claude Code", "assisted")),
    ({"trailers": [(CO_AUTHOR, "Cursor <cursoragent@cursor.com>")]}, ("Cursor", "assisted")),
    (
        {"trailers": [(CO_AUTHOR, "Claude Opus 4 <claude-opus-4@model.example.net>")]},
        ("disclosed", "assisted"),
    ),
    ({"trailers": [(CO_AUTHOR, "223556219+Copilot@users.noreply.github.com")]}, ("Copilot", "assisted")),
    ({"author": ("Claude", "noreply@anthropic.com")}, ("Claude Code", "authored")),
    (
        {"author": ("copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com")},
        ("Copilot coding agent", "authored"),
    ),
    ({"trailers": [("Assisted-by", "Claude Opus 4.5")]}, ("disclosed", "assisted")),
    ({"trailers": [("Made-with", "Cursor")]}, ("Cursor", "assisted")),
    ({"trailers": [("Claude-Session", "https://claude.ai/code/session_1")]}, ("Claude Code", "assisted")),
    (
        {"body": "Why.\n\n🤖 Generated with [Claude Code](https://claude.com/claude-code)"},
        ("Claude Code", "assisted"),
    ),
    ({"author": ("Grace Hopper (aider)", "grace@navy.example.net")}, ("Aider", "assisted")),
    ({"author": ("Devin of Acme", "tools+devin@people.example.net")}, ("Devin", "authored")),
    ({"trailers": [(CO_AUTHOR, "Devin of Acme <tools+devin@people.example.net>")]}, ("Devin", "assisted")),
    ({"branch": "codex/speed-up"}, ("OpenAI Codex", "authored")),
    ({"branch": "devin/1764699639-next-source"}, ("Devin", "authored")),
    ({"branch": "claude/remove-legacy-8afe2b"}, ("Claude Code", "authored")),
    (
        {"trailers": [(CO_AUTHOR, "Copilot <175728472+Copilot@users.noreply.github.com>")]},
        ("Copilot code review", "reviewed"),
    ),
    ({"body": "Why.\n---------\nCo-authored-by: Cursor <cursoragent@cursor.com>"}, ("Cursor", "assisted")),
    ({"body": "  Why.\n\n  Co-authored-by: Codex <codex@openai.com>"}, ("OpenAI Codex", "assisted")),
    (
        {
            "body": "Why.\n\nCo-authored-by: Claude <noreply@anthropic.com>\n\nSigned-off-by: G <g@navy.example.net>"
        },
        ("Claude Code", "assisted"),
    ),
    (
        {"body": "  Why.\n\n  🤖 Generated with [Claude Code](https://claude.ai/code)"},
        ("Claude Code", "assisted"),
    ),
    ({"body": "Why.\n\n🤖 Generated with Claude Code"}, ("Claude Code", "assisted")),
    ({"trailers": [("Signed-off-by", "Codex <codex@openai.com>")]}, ("OpenAI Codex", "assisted")),
    ({"trailers": [(CO_AUTHOR, "claude-sonnet:9.7 <ann@people.example.net>")]}, ("disclosed", "assisted")),
    (
        {"trailers": [(CO_AUTHOR, "copilot-swe-agent[bot] <198982749+Copilot@users.noreply.github.com>")]},
        ("Copilot coding agent", "assisted"),
    ),
    ({"author": ("Claude Shannon", "claude@bell.example.net")}, None),
    ({"author": ("Devin Doe", "devin@people.example.net")}, None),
    ({"author": ("Tal Shnaider", "tal@people.example.net")}, None),
    ({"author": ("Ann Employee", "ann@anthropic.com")}, None),
    ({"trailers": [(CO_AUTHOR, "Ted <ted@openai.com>")]}, None),
    ({"trailers": [(CO_AUTHOR, "Jules Verne <jules@nautilus.example.net>")]}, None),
    ({"trailers": [("Assisted-by", "Claude Shannon <claude@bell.example.net>")]}, None),
    ({"trailers": [("Assisted-by", "Grace")]}, None),
    ({"branch": "fix/copilot-login"}, None),
    ({"branch": "feat/claude-team-connector"}, None),
    ({"branch": "new-source-cursor"}, None),
    ({"branch": "devin/fix-login"}, None),
    ({"branch": "claude/homepage"}, None),
    ({"branch": "jules/parser"}, None),
    ({"subject": "Move the cursor after Claude answered"}, None),
    ({"body": "Never add Co-authored-by: Cursor <cursoragent@cursor.com>\n\nThat is our rule."}, None),
    ({"body": "Our rule:\n\n    Co-authored-by: Cursor <cursoragent@cursor.com>\n\nis never added."}, None),
    ({"body": "The example is\n\n      Co-authored-by: Claude <noreply@anthropic.com>"}, None),
    ({"body": "The badge says: generated with Claude Code"}, None),
    ({"trailers": [("Reviewed-by", "Claude <noreply@anthropic.com>")]}, None),
    ({"trailers": [("Suggested-by", "Claude <noreply@anthropic.com>")]}, None),
    ({"trailers": [(CO_AUTHOR, "Claude Sonnenberg <claude@people.example.net>")]}, None),
    ({"trailers": [(CO_AUTHOR, "Gpt Example <gpt@people.example.net>")]}, None),
    ({"path": "CLAUDE.md", "subject": "Rules for Claude Code"}, None),
]
BOTS = {
    ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"): True,
    ("Release Bot", "release@example.net"): True,
    ("github-actions", "github-actions@github.com"): True,
    ("Copilot", "198982749+Copilot@users.noreply.github.com"): True,
    ("Claude Opus 4", "claude-opus-4@model.example.net"): True,
    ("GPT-5 Codex", "gpt@model.example.net"): True,
    ("Claude Opuszynski", "claude.opuszynski@people.example.net"): False,
    ("Claude 3", "third.claude@people.example.net"): False,
    ("Jane Abbot", "jane.abbot@people.example.net"): False,
    ("Bott", "bott@people.example.net"): False,
    ("Travis Ennis", "travis@people.example.net"): False,
    ("Robot Arm Team Lead", "lead@people.example.net"): False,
}


def signed() -> tuple[Repository, list[str]]:
    """A repository with these commits, and the SHAs of `COMMITS` in their order."""
    history = History("acme/signs", seed=9)
    shas = []
    for number, (words, _) in enumerate(COMMITS):
        given: dict[str, Any] = {"subject": f"Change {number}", "author": PERSON} | words
        shas.append(history.say(**given))
    for author in BOTS:
        history.say("Change", author=author)
    return history.finish(), shas
