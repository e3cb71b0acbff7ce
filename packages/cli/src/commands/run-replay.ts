// Runs `lethe replay`: reads the fixture, serves it, and reports or adds what it does not contain.
import { readFile, writeFile } from "node:fs/promises";
import type { CommandTarget } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { type Fixture, parseFixture, recordFixture, replay, toFixtureText } from "@lethe/compare";
import { CommandError } from "../exit-code.ts";
import { toPrintable } from "../terminal/printable.ts";
import { toAuthorization } from "./login.ts";
import { toCommandError } from "./reach.ts";
import { serveUntilEnd } from "./serve-fixture.ts";

export interface ReplayCommandOptions {
  port?: number;
  strict?: boolean;
  update?: boolean;
  to?: string;
}

export interface ReplayRun extends ReplayCommandOptions {
  /** The server that is asked with --update. */
  target: string | CommandTarget | undefined;
}

/** Rejects with CommandError. */
export async function runReplay(file: string, { target, ...options }: ReplayRun): Promise<void> {
  const fixture = await readFixture(file);
  if (target !== undefined) return await runUpdate(file, fixture, { ...options, target });
  const server = replay(fixture, { strict: options.strict === true });
  await serveUntilEnd(server, options.port, "Replaying");
  if (!options.strict) return;
  const unused = server.unused().map(({ method, params }) => `not requested: ${method} ${JSON.stringify(params)}`);
  const problems = [...server.unmatched, ...unused];
  if (problems.length === 0) return;
  const shown = problems.slice(0, shownProblems).map((problem) => `\n  ${problem.slice(0, shownCharacters)}`);
  throw new CommandError(
    `the requests differ from ${file} in ${problems.length} places:${toPrintable(shown.join(""))}`,
  );
}

const shownProblems = 20;
const shownCharacters = 300;

async function runUpdate(
  file: string,
  fixture: Fixture,
  { target, port }: ReplayCommandOptions & { target: string | CommandTarget },
): Promise<void> {
  const authorization = typeof target === "string" ? toAuthorization(target, {}, process.env) : {};
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} };
  const client = await connect(target, { ...authorization, capabilities }).catch((error: unknown) => {
    throw toCommandError(error, target);
  });
  const secrets = Object.values(authorization.headers ?? {});
  const recorder = recordFixture(client.connection.dispatch, { earlier: fixture, secrets });
  try {
    await serveUntilEnd(replay(fixture, { fallback: recorder.dispatch }), port, "Replaying");
  } finally {
    await client.close();
  }
  const added = recorder.fixture().exchanges.length - fixture.exchanges.length;
  await writeFile(file, toFixtureText(recorder.fixture())).catch((error: Error) => {
    throw new CommandError(`cannot write ${file}: ${error.message}`);
  });
  process.stderr.write(`${file}: ${added} exchanges added\n`);
}

async function readFixture(file: string): Promise<Fixture> {
  try {
    return parseFixture(await readFile(file, "utf8"));
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`);
  }
}
