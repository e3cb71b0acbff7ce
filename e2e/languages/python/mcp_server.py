"""A server of the Python SDK on stdio. Its tools ask in either era: by input_required, or by a request in the middle of the call."""

from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve
from mcp.types import ListRootsResult
from pydantic import BaseModel

server = MCPServer("python-mcp")


class Who(BaseModel):
    name: str


def who() -> Elicit[Who]:
    return Elicit("Who are you?", Who)


def roots() -> ListRoots:
    return ListRoots()


@server.tool()
def greet(name: str) -> str:
    return f"hello {name}"


@server.tool()
async def count(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
    return "counted"


@server.tool()
def ask(answer: Annotated[Who, Resolve(who)]) -> str:
    return answer.name


@server.tool()
def folders(found: Annotated[ListRootsResult, Resolve(roots)]) -> str:
    return " ".join(str(root.uri) for root in found.roots)


server.run()
