"""Uses a server at URL as a client of the Python SDK does: `mcp_client.py URL auto|legacy`. Prints what came back as JSON."""

import asyncio
import json
import sys

from mcp import Client
from mcp.types import ElicitResult, ListRootsResult, Root


async def main(url: str, mode: str) -> None:
    steps: list[float] = []

    async def elicit(context, params):
        return ElicitResult(action="accept", content={"name": "Grace"})

    async def list_roots(context):
        return ListRootsResult(roots=[Root(uri="file:///work")])

    async def on_progress(progress, total, message):
        steps.append(progress)

    async with Client(url, mode=mode, elicitation_callback=elicit, list_roots_callback=list_roots) as client:

        async def call(name, arguments=None, **more):
            result = await client.call_tool(name, arguments or {}, **more)
            return " ".join(block.text for block in result.content)

        tools = await client.list_tools()
        report = {
            "revision": client.protocol_version,
            "tools": sorted(tool.name for tool in tools.tools),
            "greet": await call("greet", {"name": "Ada"}),
            "count": await call("count", {"steps": 3}, progress_callback=on_progress),
            "ask": await call("ask"),
            "folders": await call("folders"),
            "steps": steps,
        }
    print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
