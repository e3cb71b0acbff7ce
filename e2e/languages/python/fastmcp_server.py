"""A FastMCP server on stdio. Its tools ask by a request in the middle of the call, which only the older
revisions have. FastMCP 4 has no request for roots."""

from dataclasses import dataclass

from fastmcp import Context, FastMCP

server = FastMCP("python-fastmcp")


@dataclass
class Who:
    name: str


@server.tool
def greet(name: str) -> str:
    return f"hello {name}"


@server.tool
async def count(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
    return "counted"


@server.tool
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", response_type=Who)
    return answer.data.name if answer.action == "accept" else answer.action


@server.tool
def folders() -> str:
    return "FastMCP asks for no roots"


server.run(transport="stdio", show_banner=False)
