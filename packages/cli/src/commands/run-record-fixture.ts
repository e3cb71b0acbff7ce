// Runs `lethe record`: connects to the server, serves it, and writes the fixture at the end.
import { writeFile } from "node:fs/promises";
import type { CommandTarget } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { readLists, recordFixture, toFixtureText } from "@lethe/compare";
import { toCallerError } from "@lethe/gateway";
import { clientCapabilitiesOf, type Dispatch, type Era } from "@lethe/protocol";
import { createLegacyEdge } from "@lethe/server/edge";
import { createKeyRing } from "@lethe/server/stores";
import { CommandError } from "../exit-code.ts";
import { printJson } from "../output/print.ts";
import { toPrintable } from "../terminal/printable.ts";
import { createStyle } from "../terminal/style.ts";
import { toAuthorization } from "./login.ts";
import { toCommandError } from "./reach.ts";
import { serveUntilEnd } from "./serve-fixture.ts";

export interface RecordOptions {
  output: string;
  port?: number;
  header?: Record<string, string>;
  env?: Record<string, string>;
  startTimeout?: number;
  era?: Era | "auto";
  json?: boolean;
}

const info = { name: "lethe-record", version: "0.1.0" };
/** Each request declares the capabilities of its own client. */
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} };

/** Rejects with CommandError. */
export async function runRecordFixture(target: string | CommandTarget, options: RecordOptions): Promise<void> {
  const style = createStyle(process.stderr);
  const warn = (message: string): void => void process.stderr.write(`${style.yellow("!")} ${toPrintable(message)}\n`);
  const authorization = typeof target === "string" ? toAuthorization(target, options, process.env) : {};
  const client = await connect(target, {
    ...authorization,
    ...(options.era && { era: options.era }),
    ...(options.startTimeout !== undefined && { startTimeoutMs: options.startTimeout }),
    capabilities,
    onWarning: warn,
  }).catch((error: unknown) => {
    throw toCommandError(error, target);
  });
  const secrets = [...Object.values(authorization.headers ?? {}), ...Object.values(options.env ?? {})];
  const recorder = recordFixture(client.connection.dispatch, { secrets, onLoss: createOnce(warn) });
  try {
    await readLists(recorder.dispatch);
    const dispatch = withCallerErrors(recorder.dispatch, nameOf(target));
    const legacy = createLegacyEdge({ dispatch, info, ring: createKeyRing() });
    await serveUntilEnd({ dispatch, info, legacy }, options.port, "Recording");
  } catch (error) {
    throw toCommandError(error, target);
  } finally {
    await client.close();
  }
  const fixture = recorder.fixture();
  await writeFile(options.output, toFixtureText(fixture)).catch((error: Error) => {
    throw new CommandError(`cannot write ${options.output}: ${error.message}`);
  });
  const { length: exchanges } = fixture.exchanges;
  if (options.json) printJson({ file: options.output, exchanges });
  else process.stderr.write(`${options.output}: ${exchanges} exchanges\n`);
}

function nameOf(target: string | CommandTarget): string {
  return typeof target === "string" ? target : [target.command, ...(target.args ?? [])].join(" ");
}

function withCallerErrors(dispatch: Dispatch, name: string): Dispatch {
  return (request, exchange) =>
    dispatch(request, exchange).catch((error: unknown) => {
      throw toCallerError(name, error, clientCapabilitiesOf(request));
    });
}

function createOnce(warn: (message: string) => void): (message: string) => void {
  const seen = new Set<string>();
  return (message) => {
    if (seen.has(message) || seen.size > 100) return;
    seen.add(message);
    warn(`not recorded: ${message}`);
  };
}
