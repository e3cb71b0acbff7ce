// Answers the input requests of a server in a terminal.
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../processes/lethe.ts";
import { type RunningServer, startServer } from "../processes/server.ts";
import { runInTerminal } from "../processes/terminal.ts";

let tracker: RunningServer;

beforeAll(async () => {
  tracker = await startServer("examples/tracker/dist/server.js", { args: ["--port", "0", "--bugs", "100"] });
});
afterAll(() => tracker.stop());

type Steps = [shown: string, typed: string][];

const toCommand = (id: number) => [process.execPath, main, "call", tracker.url, "resolve_bug", JSON.stringify({ id })];

/** The terminal does not know its size, so each question is one line. */
function resolveBug(id: number, ...steps: Steps) {
  return runInTerminal(toCommand(id), steps);
}

function resolveBugByKeys(id: number, ...steps: Steps) {
  return runInTerminal(["sh", "-c", 'stty cols 100 rows 40; TERM=xterm exec "$@"', "sh", ...toCommand(id)], steps);
}

describe.skipIf(process.platform !== "linux")("lethe call in a terminal", () => {
  it("lethe call prompts for input in several rounds, validates it and prints the result (E-24, E-88, E-89)", async () => {
    const { code, shown } = await resolveBug(
      7,
      ["> ", "5\r"],
      ["enter one of the choices", ""],
      ["> ", "3\r"],
      ['Send {"resolution":"Duplicate"}?', "\r"],
      ["Which bug is the original?", ""],
      ["> ", "7\r"],
      ["Send", "y\r"],
      ["the number of another bug is needed", ""],
      ["> ", "1\r"],
      ["Send", "\r"],
    );
    expect(code).toBe(0);
    expect(shown).toContain(tracker.url);
    expect(shown).toContain("How was bug #7 resolved?");
    expect(shown).toContain('"resolution":"Duplicate","duplicateOf":1');
  });

  it("lethe call in a terminal declines an elicitation on Ctrl-D (E-87)", async () => {
    const { code, shown } = await resolveBug(8, ["> ", "\u0004"]);
    expect(code).toBe(3);
    expect(shown).toContain("the user declined to answer");
  });

  it("lethe call in a terminal cancels the elicitation, not the command, on Ctrl-C", async () => {
    const { code, shown } = await resolveBug(9, ["> ", "\u0003"]);
    expect(code).toBe(3);
    expect(shown).toContain("cancel");
  });

  it("lethe call chooses an answer by arrow keys and declines it at the end of the form (E-87, E-88)", async () => {
    const { code, shown } = await resolveBugByKeys(
      10,
      ["confirm", "\u001b[B"],
      ["Won't Fix", "\r"],
      ['Send {"resolution":"Won\'t Fix"}?', "\u001b[B"],
      ["Edit", "\u001b[B"],
      ["Decline", "\r"],
    );
    expect(code).toBe(3);
    expect(shown).toContain("the user declined to answer");
  });

  it("lethe call writes long text in the editor of EDITOR, which uses the same terminal", async () => {
    const server = createServer({ name: "reports", version: "1.0.0" });
    const report = { type: "string", maxLength: 1_000, minLength: 3 } as const;
    server.tool("report", {
      async handler(_args, ctx) {
        const form = { type: "object" as const, properties: { report }, required: ["report"] };
        return JSON.stringify(await ctx.elicit("What happened?", form));
      },
    });
    const serving = await serve(server, { port: 0 });
    try {
      // Reads a line from the terminal and saves it with another line.
      const editor = `sh -c 'echo ready; read line; printf "%s\\nend\\n" "$line" > "$0"'`;
      const command = [process.execPath, main, "call", serving.url, "report"];
      const { code, shown } = await runInTerminal(
        ["sh", "-c", 'stty cols 100 rows 40; TERM=xterm EDITOR=$0 exec "$@"', editor, ...command],
        [
          ["Write in sh", "\r"],
          ["ready", "all is well\r"],
          ["Send {", "\r"],
        ],
      );
      expect(code).toBe(0);
      expect(shown).toMatch(/\{"report":"all is well\\nend"\}\r?\n/);
    } finally {
      await serving.close({ graceMs: 0 });
    }
  });
});
