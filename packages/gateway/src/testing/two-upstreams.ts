// The fixture of the tests of a served gateway: two upstreams, the keys of two callers, and a configuration of both.
import { afterAll, beforeAll } from "vitest";
import { type Operated, startUpstreams, type Upstreams } from "./operated.ts";

export const keys = [
  { id: "ci", key: "key-of-ci-0123456789" },
  { id: "ops", key: "key-of-ops-0123456789", scopes: ["admin"] },
];
export const [ci, ops] = keys.map(({ key }) => key) as [string, string];

/** The names of the tools in the response to tools/list. */
export const toolsOf = ({ body }: Awaited<ReturnType<Operated["ask"]>>): string[] =>
  body.result.tools.map(({ name }: { name: string }) => name);

export interface TwoUpstreams {
  /** Running while the tests of the file run. */
  readonly upstreams: Upstreams;
  /** A configuration file with these upstreams and this gateway block. */
  documentOf(gateway?: object, names?: readonly string[]): object;
}

/** Starts the upstreams "gh" and "fs" before the tests of a file and stops them afterwards. */
export function useTwoUpstreams(): TwoUpstreams {
  let upstreams: Upstreams;
  beforeAll(async () => {
    upstreams = await startUpstreams("gh", "fs");
  });
  afterAll(() => upstreams[Symbol.asyncDispose]());
  return {
    get upstreams() {
      return upstreams;
    },
    documentOf(gateway = {}, names = ["gh", "fs"]) {
      const servers = names.map((name) => [
        name,
        { url: upstreams.urls[name], headers: { authorization: `Bearer own-${name}` } },
      ]);
      return { mcpServers: Object.fromEntries(servers), gateway };
    },
  };
}
