import os
from dataclasses import dataclass
from typing import Literal

from fastmcp import Context, FastMCP

server = FastMCP("travel")


@dataclass
class Sum:
    sum: float


@dataclass
class Weather:
    sky: Literal["clear", "rain"]


@server.tool
def add(a: float, b: float) -> Sum:
    """Adds two prices"""
    return Sum(a + b)


@server.tool
def weather(city: str) -> Weather:
    """The weather of a city"""
    return Weather("clear")


@server.tool
async def count(ctx: Context) -> str:
    """Counts to three"""
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3)
    return "counted"


@dataclass
class Where:
    city: str


@dataclass
class Confirmation:
    sure: bool


@server.tool
async def book(ctx: Context) -> str:
    """Books a trip"""
    where = await ctx.elicit("Where to?", response_type=Where)
    city = where.data.city
    answer = await ctx.elicit(f"Book {city}?", response_type=Confirmation)
    return f"Booked {city}." if answer.data.sure else "Not booked."


# FastMCP 4 has no sampling in the context of a tool.
@server.tool
def fail() -> str:
    """Fails"""
    raise RuntimeError("postgres://admin:hunter2@db is down")


# FastMCP has no completion of prompts and templates.
@server.resource("trip://{city}")
def trip(city: str) -> str:
    return f"A trip to {city}"


@server.prompt
def plan(city: str) -> str:
    """Plans a trip"""
    return f"Plan a trip to {city}."


server.run(transport="http", host="127.0.0.1", port=int(os.environ["PORT"]), show_banner=False)
