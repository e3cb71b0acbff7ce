"""A FastMCP server with a tool for each feature that a transport may lose: `fastmcp_features.py stdio|sse|http|stateless [PORT]`."""

import asyncio
import sys
from dataclasses import dataclass

from fastmcp import Context, FastMCP

server = FastMCP("features")
read_only = {"readOnlyHint": True}


@dataclass
class Guests:
    count: int


@server.tool(annotations=read_only)
async def greet(name: str) -> str:
    return f"Hello, {name}!"


@server.tool(annotations=read_only)
async def summarize(text: str, ctx: Context) -> str:
    answer = await ctx.sample(f"Summarize: {text}")
    return getattr(answer, "text", str(answer))


@server.tool(annotations=read_only)
async def book_table(ctx: Context) -> str:
    answer = await ctx.elicit("How many guests?", response_type=Guests)
    return f"a table for {answer.data.count}" if answer.action == "accept" else answer.action


@server.tool(annotations=read_only)
async def list_folders(ctx: Context) -> str:
    return " ".join(str(root.uri) for root in await ctx.list_roots())


@server.tool(annotations=read_only)
async def count(ctx: Context) -> str:
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3)
    return "counted to 3"


@server.tool(annotations=read_only)
async def chatter(ctx: Context) -> str:
    await ctx.info("a message from the call")
    return "logged"


@server.tool
async def grow(ctx: Context) -> str:
    server.tool(lambda: "here I am", name="grown")
    await ctx.send_tool_list_changed()
    return "added a tool"


@server.tool(annotations=read_only, task=True)
async def render() -> str:
    await asyncio.sleep(0.1)
    return "rendered"


@server.resource("demo://readme")
def readme() -> str:
    return "Read me."


@server.prompt
def welcome(guest: str) -> str:
    return f"Welcome {guest}."


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
