"""A FastMCP server whose tools ask in the middle of a call: `fastmcp_asks.py stdio`, or `sse|http|stateless PORT`."""

import asyncio
import sys
from dataclasses import dataclass

from fastmcp import Context, FastMCP

server = FastMCP("asks")


@dataclass
class Who:
    name: str


async def elicit(ctx: Context, question: str) -> str:
    answer = await ctx.elicit(question, response_type=Who)
    return answer.data.name if answer.action == "accept" else answer.action


@server.tool
async def ask_user(caller: str, ctx: Context) -> str:
    return await elicit(ctx, f"who is {caller}?")


@server.tool
async def ask_twice(caller: str, ctx: Context) -> str:
    first = await elicit(ctx, f"who is {caller}?")
    return f"{first} {await elicit(ctx, f'who is {caller}?')}"


@server.tool
async def list_folders(ctx: Context) -> str:
    return " ".join(str(root.uri) for root in await ctx.list_roots())


@server.tool
async def wait(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "waited"


@server.tool
async def count(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
        await ctx.info(f"step {step}")
    return "counted"


way, port = sys.argv[1], int((sys.argv + ["0"])[2])
if way == "stdio":
    server.run(transport="stdio", show_banner=False)
else:
    server.run(
        transport="sse" if way == "sse" else "http",
        host="127.0.0.1",
        port=port,
        show_banner=False,
        **({"stateless_http": True} if way == "stateless" else {}),
    )
