"""Uses a server at URL as a FastMCP client does: `fastmcp_client.py URL auto|legacy`. Prints what came back as JSON."""

import asyncio
import json
import sys

from fastmcp import Client


async def main(url: str, mode: str) -> None:
    steps: list[float] = []

    async def elicit(message, response_type, params, context):
        return {"name": "Grace"}

    async def on_progress(progress, total, message):
        steps.append(progress)

    async with Client(url, mode=mode, elicitation_handler=elicit, roots=["file:///work"]) as client:

        async def call(name, arguments=None, **more):
            result = await client.call_tool(name, arguments or {}, **more)
            return " ".join(block.text for block in result.content)

        report = {
            "revision": client.protocol_version,
            "tools": sorted(tool.name for tool in await client.list_tools()),
            "greet": await call("greet", {"name": "Ada"}),
            "count": await call("count", {"steps": 3}, progress_handler=on_progress),
            "ask": await call("ask"),
            "folders": await call("folders"),
            "steps": steps,
        }
    print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
