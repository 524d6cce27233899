"""`python -m api.mcp ADDRESS`: the tools over standard input and output, for the service at this address.

The key is in EAS_API_KEY. Standard output has messages of the protocol alone; what a person should read goes to
standard error. Keep out: the command line (orchestration/cli).
"""

import os
import select
import signal
import sys
import threading

import anyio
import httpx
from mcp.server.stdio import stdio_server

from api.mcp.protocol import server_of
from api.mcp.reading import Reader
from api.operator.environment import StartRefused, value_of

KEY = "EAS_API_KEY"
FAILED, REFUSED = 1, 2
# Of a read, which may wait for others.
SECONDS = 60


async def serve(address: str, key: str) -> None:
    """Answer until standard input ends. Raises SystemExit with a sentence where the service cannot be asked."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=SECONDS) as client:
        reader = Reader(client, await _organization(client, address), address)
        server = server_of(reader)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


async def _organization(client: httpx.AsyncClient, address: str) -> str:
    try:
        answer = await client.get("/api/v1/organizations")
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise _ended(FAILED, f"no service answers at {address}; name its address with --address") from error
    if answer.is_redirect:
        moved = f"{address} sends elsewhere; name the address that the browser shows with --address"
        raise _ended(FAILED, moved)
    try:
        found = answer.json()
        if answer.is_error:
            raise _ended(REFUSED, str(found["message"]))
        # A key has one, that of its membership.
        return str(found["organizations"][0]["id"])
    except (ValueError, LookupError, TypeError) as error:
        other = f"what answers at {address} is another program ({answer.status_code}); name the address of the service"
        raise _ended(FAILED, f"{other} with --address") from error


def _end_with_the_reader() -> None:
    """End the process once nobody reads its standard output: the thread that waits for input cannot be cancelled."""
    output = select.poll()
    output.register(os.dup(1), 0)  # of no event but hang-up and error, which poll(2) always reports

    def wait() -> None:
        output.poll()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def _ended(code: int, sentence: str) -> SystemExit:
    sys.stderr.write(f"Error: {sentence}\n")
    return SystemExit(code)


def main(arguments: list[str]) -> None:
    """Serve for the address that is the only argument."""
    try:
        key = value_of(KEY)
    except StartRefused as error:
        raise _ended(REFUSED, str(error)) from error
    if not key or not str(key).startswith("service_") or not str(key).isascii():
        raise _ended(REFUSED, f"put an API key (`service_…`) into the variable {KEY}")
    [address] = arguments
    # Nothing here has to be kept, and a wait for input ends by nothing else.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _end_with_the_reader()
    anyio.run(serve, address.rstrip("/"), key)


if __name__ == "__main__":
    main(sys.argv[1:])
