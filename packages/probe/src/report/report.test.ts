// What people and programs get to read.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probe } from "../probe.ts";
import { answerLegacy, createStateful, type OddServer, ok, startOddServer } from "../testing/odd-server.ts";
import { toHtml } from "./html.ts";
import { toMarkdown } from "./markdown.ts";
import { caution, type ProbeReport } from "./report.ts";
import { toText } from "./text.ts";

const token = "tok-0123456789";
let server: OddServer;
let report: ProbeReport;

beforeAll(async () => {
  const handle = createStateful();
  server = await startOddServer((asked) => {
    if (asked.method !== "initialize") return handle(asked);
    // A server that tells everybody what it was told, and tries to write to the terminal.
    const reply = handle(asked);
    const serverInfo = { name: `odd\u001b[31m ${asked.headers.authorization}`, version: "1|2" };
    const { headers } = reply ?? {};
    return ok(
      asked.id,
      { protocolVersion: "2025-11-25", capabilities: { tools: { listChanged: true } }, serverInfo },
      headers,
    );
  });
  report = await probe({
    name: "mine",
    url: `${server.url}?api_key=k-987654`,
    headers: { Authorization: `Bearer ${token}` },
  });
});
afterAll(() => server.close());

/** What differs from run to run. */
function settled(text: string): string {
  return text
    .replaceAll(new URL(server.url).host, "HOST")
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, "UUID")
    .replace(/\b[0-9a-f]{4}\*\*\*/g, "ID***")
    .replace(/[ ]*\d+ ms/g, " N ms");
}

it("no form of the report contains a secret", () => {
  expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${token}`);
  for (const form of [JSON.stringify(report), toText(report), toMarkdown(report), toHtml([report])]) {
    expect(form).not.toContain(token);
    expect(form).not.toContain("k-987654");
    expect(form).toContain("***");
  }
});

describe("the HTML page", () => {
  it("begins with the conclusion, and links each reason to the exchange that proves it", () => {
    const html = toHtml([report], { time: 0 });
    expect(html).toContain("<h1>mine is stateful: a session must continue on the instance where it started.</h1>");
    expect(html).toContain("Probed on <span");
    expect(html.match(/id="server-1-step-/g)).toHaveLength(report.requests);
    const linked = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(linked.length).toBeGreaterThan(3);
    for (const id of linked) expect(html).toContain(`id="${id}"`);
  });

  it("loads no resources, runs no scripts, and shows markup and control characters of the server as text", () => {
    const hostile = {
      ...report,
      features: { ...report.features, server: { name: "<img src=x>\u202e", version: "1" } },
    };
    const html = toHtml([{ ...hostile, target: { kind: "command", address: "<script>" } }]);
    expect(html).not.toMatch(/<(?:script|link|img|iframe)|src="|url\(|@import/);
    expect(html).not.toContain("\u202e");
  });

  it("of several servers begins with a table of their verdicts", () => {
    const html = toHtml([report, { ...report, word: "UNKNOWN", target: { ...report.target, name: "other" } }]);
    expect(html).toContain("<h1>Of 2 servers, 1 is stateful and 1 is unknown.</h1>");
    expect(html).toContain('<a href="#server-2">other</a>');
  });

  it("says what an unknown option is", () => {
    expect(() => toHtml([report], { at: 1 } as never)).toThrow(/at/);
  });
});

it("the report lists each exchange with status, headers and a shortened body", () => {
  expect(report.evidence).toHaveLength(report.requests);
  expect(report.evidence[1]).toMatchObject({
    ...{ number: 2, what: "initialize", via: "POST", status: 200, answer: "200" },
    headers: { "content-type": "application/json", "mcp-session-id": expect.stringMatching(/^.{4}\*\*\*$/) },
    body: expect.stringContaining('"protocolVersion":"2025-11-25"'),
  });
});

it("the report contains only the name of a cookie", async () => {
  const polite = await startOddServer((asked) => ({
    ...answerLegacy(asked),
    headers: { "set-cookie": "JSESSIONID=0a1b2c3d4e5f; Path=/; HttpOnly" },
  }));
  const { evidence } = await probe({ url: polite.url });
  await polite.close();
  expect(evidence.map(({ headers }) => headers["set-cookie"])).toContain("JSESSIONID=***");
  expect(JSON.stringify(evidence)).not.toContain("0a1b2c3d4e5f");
});

it("every form of the report contains the caution about state in the process", () => {
  const flat = (text: string) => text.replace(/\s+/g, " ");
  expect(report.caution).toBe(caution);
  expect(flat(toText(report))).toContain(caution);
  expect(flat(toMarkdown(report))).toContain(caution);
});

it("the JSON report has the members that the README describes", () => {
  const json = JSON.parse(JSON.stringify(report));
  expect(Object.keys(json).sort()).toMatchInlineSnapshot(`
    [
      "advice",
      "caution",
      "confidence",
      "decidedBy",
      "era",
      "eras",
      "evidence",
      "features",
      "hints",
      "instances",
      "keptState",
      "leftovers",
      "ms",
      "remarks",
      "requests",
      "serverRequests",
      "target",
      "transport",
      "version",
      "word",
    ]
  `);
  expect(json.version).toBe(1);
});

describe("text", () => {
  it("the text report has this form", () => {
    expect(settled(toText(report, { width: 100, hasEvidence: false }))).toMatchInlineSnapshot(`
      "STATEFUL  mine  http://HOST/mcp?api_key=***, confidence high

        server        odd [31m *** 1|2
        transport     Streamable HTTP
        modern era    not spoken
                      · server/discover was refused: 400 error -32000 [1]
        legacy era    STATEFUL; 2025-11-25; sessions: enforced; confidence high
                      · initialize issued a session id [2]
                      · tools/list with the session id was answered [4]
                      · tools/list without a session id: 400 error -32000 [5]
                      · a made-up id was refused: 404 error -32001 [6]
                      · the id still worked afterwards [7]
        offers        1 tool (listChanged)
        gateway       keep a session for each caller, on the instance that issued it
        hint          capabilities: UNKNOWN (+10)
                      · +10 it notifies clients of changes of its tools

        The verdict is about sessions of the protocol. A server without sessions may still keep state in
        its process (a file, a database, an open browser), which no probe can see: STATELESS does not mean
        safe to share between users.

      "
    `);
  });

  it.each([100, 80, 60])("no line is wider than %d columns or contains control characters", (width) => {
    const text = toText(report, { width });
    // The first one has the address in it, which cannot be broken.
    for (const line of text.split("\n").slice(1)) expect(line.length).toBeLessThanOrEqual(width);
    expect(text).not.toContain("\u001b");
  });

  it("the caller chooses the colours", () => {
    const mark = (text: string) => `<${text}>`;
    const same = (text: string) => text;
    const paint = { bold: same, dim: same, red: same, green: same, yellow: mark };
    expect(toText(report, { paint })).toMatch(/^<STATEFUL>/);
  });
});

it("text of a server stays plain text in Markdown", async () => {
  const hostile = await startOddServer((asked) => {
    if (asked.method !== "initialize") return answerLegacy(asked);
    const serverInfo = { name: "[click](http://evil) <img> | `x`", version: "1" };
    return ok(asked.id, { protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
  });
  const markdown = toMarkdown(await probe({ url: hostile.url }));
  await hostile.close();
  expect(markdown).toContain("\\[click\\](http://evil) \\<img\\> \\| \\`x\\` 1");
  for (const row of markdown.split("\n").filter((line) => line.startsWith("| "))) {
    expect(row.replaceAll("\\|", "").split("|")).toHaveLength(7);
  }
});
