"""A client in TypeScript: types that openapi-typescript makes, and requests by openapi-fetch."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.generated_clients.lists import List
from tests.node_packages import installed

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
HEAD = """\
import createClient from "openapi-fetch";
import type { paths } from "./schema";
const client = createClient<paths>({
  baseUrl: process.env.ADDRESS!,
  headers: { Authorization: `Bearer ${process.env.KEY!}` },
});
const found: Record<string, unknown> = {};
// A report is text in other formats.
function kept<T>(operation: string, answer: { data?: T; error?: unknown }): Exclude<T, string> {
  if (answer.data === undefined || typeof answer.data === "string") {
    throw new Error(`${operation}: ${JSON.stringify(answer.error)}`);
  }
  found[operation] = answer.data;
  return answer.data as Exclude<T, string>;
}
declare const process: { env: Record<string, string | undefined>; stdout: { write(text: string): void } };
"""
TAIL = "process.stdout.write(JSON.stringify(found));\n"
OPTIONS = {
    "compilerOptions": {
        "strict": True,
        "module": "nodenext",
        "moduleResolution": "nodenext",
        "target": "es2022",
        "lib": ["es2022", "dom", "dom.iterable"],
        "types": [],
        # The packages' own types are theirs.
        "skipLibCheck": True,
    },
    "files": ["reading.mts"],
}


def read_lists(document: dict[str, Any], address: str, key: str, lists: list[List], folder: Path) -> Any:
    """What the client got of every list, by operation. Fails where the program does not compile under `strict`.

    Skips the test where the packages cannot be had.
    """
    node = installed(HERE)
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "tsconfig.json").write_text(json.dumps(OPTIONS))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "reading.mts").write_text(
        HEAD.replace("./schema", "./schema.js") + "".join(map(_call, lists)) + TAIL
    )
    _run([node, MODULES / "openapi-typescript/bin/cli.js", "openapi.json", "--output", "schema.d.ts"], folder)
    _run([node, MODULES / "typescript/bin/tsc"], folder)
    return json.loads(_run([node, "reading.mjs"], folder, ADDRESS=address, KEY=key))


def _call(one: List) -> str:
    """Statements that read a list, whose items and number the compiler looks at."""
    given = {"path": one.ids, "query": one.query} if one.query else {"path": one.ids}
    call = f'await client.GET("{one.path}", {{ params: {json.dumps(given)} }})'
    return (
        f'{{\n  const page = kept("{one.operation}", {call});\n'
        f"  const items: object[] = page.{one.items};\n  const total: number = page.totalSize;\n"
        f'  if (items.length > total) throw new Error("{one.operation} has more items than it says");\n}}\n'
    )


def _run(command: list[Any], folder: Path, **variables: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env=os.environ | variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout
