import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseArguments } from "./argument-words.ts";
import { toToolArguments } from "./tool-arguments.ts";

const schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    isOpen: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    numbers: { type: "array", items: { type: "integer" } },
    size: { enum: ["small", "large", 3] },
    address: { $ref: "#/$defs/address" },
    maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
    "a.b": { type: "string" },
    anything: {},
  },
  $defs: { address: { type: "object", properties: { street: { type: "string" }, number: { type: "integer" } } } },
};

async function build(...words: string[]): Promise<unknown> {
  const { json, words: parsed } = parseArguments(words);
  return json ?? (await toToolArguments(parsed, schema));
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-arguments-"));
  await writeFile(join(folder, "note.txt"), "from a file\n");
  await writeFile(join(folder, "value.json"), '{"a": [1]}');
  await writeFile(join(folder, "binary"), Buffer.from([0xff, 0xfe]));
});
afterAll(() => rm(folder, { recursive: true }));

describe("arguments of a tool on the command line", () => {
  it.each<[words: string[], expected: unknown]>([
    [[], {}],
    [['{"count": 1}'], { count: 1 }],
    [["text=1"], { text: "1" }],
    [["text=a=b"], { text: "a=b" }],
    [["text="], { text: "" }],
    [["count=-3"], { count: -3 }],
    [["ratio=1.5e3"], { ratio: 1500 }],
    [["isOpen=false"], { isOpen: false }],
    [["tags=a"], { tags: ["a"] }],
    [["tags=a", "tags=b"], { tags: ["a", "b"] }],
    [["numbers[]=1", "numbers[]=2"], { numbers: [1, 2] }],
    [["tags:=[]"], { tags: [] }],
    [["tags=[draft]"], { tags: ["[draft]"] }],
    [["size=large"], { size: "large" }],
    [["size=3"], { size: 3 }],
    [["address.street=Main St", "address.number=7"], { address: { street: "Main St", number: 7 } }],
    [["maybe=null"], { maybe: null }],
    [["maybe=4"], { maybe: 4 }],
    [["a.b=x"], { "a.b": "x" }],
    [["anything=5"], { anything: "5" }],
    [["anything:=5"], { anything: 5 }],
    [['unknown:={"a": 1}'], { unknown: { a: 1 } }],
    [["text=@@handle"], { text: "@handle" }],
  ])("%j are %j", async (words, expected) => {
    expect(await build(...words)).toEqual(expected);
  });

  it.each<[words: string[], message: string]>([
    [["text"], "the arguments are not JSON"],
    [["text", "count=1"], 'an argument must be key=value or key:=json, got "text"'],
    [["{}", "count=1"], "one JSON object must be the only argument"],
    [["count=four"], '"count" must be a whole number, got "four"'],
    [["count=1.5"], '"count" must be a whole number, got "1.5"'],
    [["count="], '"count" must be a whole number, got ""'],
    [["count=9007199254740993"], "too large"],
    [["ratio=0x10"], '"ratio" must be a number, got "0x10"'],
    [["isOpen=yes"], '"isOpen" must be true or false, got "yes"'],
    [["numbers=a"], '"numbers" must be a whole number, got "a"'],
    [["size=huge"], '"size" must be small, large, 3, got "huge"'],
    [['tags=["a","b"]'], 'write tags[]=VALUE for each item, or tags:=\'["a","b"]\''],
    [["address=x"], "write address:='JSON' or address.NAME=VALUE"],
    [["text=a", "text=b"], '"text" is given twice, but is not a list'],
    [["text=a", "text.b=c"], '"text.b" is in "text", which already has a value'],
    [["cuont=1"], 'the tool has no argument "cuont"; it takes text, count'],
    [["count:={"], '"count" is not JSON'],
    [["text=@/nowhere/x"], "/nowhere/x: no such file or folder"],
  ])("%j are rejected: %s", async (words, message) => {
    const failure = await build(...words).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toContain(message);
  });

  it("come from files, as text or as JSON", async () => {
    const [note, value] = [join(folder, "note.txt"), join(folder, "value.json")];
    expect(await build(`text=@${note}`, `anything:=@${value}`)).toEqual({
      text: "from a file\n",
      anything: { a: [1] },
    });
    await expect(build(`text=@${join(folder, "binary")}`)).rejects.toThrow("is not UTF-8 text");
  });

  it("may have names of object members without changing objects", async () => {
    const result = (await build("__proto__:=1", 'constructor:={"a":1}')) as object;
    expect(Object.keys(result)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});
