// Hints from the name of a server and its command line.
import type { Implementation } from "@lethe/protocol";
import { isHttpTarget, type ProbeTarget } from "../target/target.ts";
import { type Hint, type ScoredReason, toHint } from "./hint.ts";

interface Clue {
  readonly pattern: RegExp;
  readonly score: number;
  readonly because: string;
}

const flags: readonly Clue[] = [
  { pattern: /^--?(?:stateless(?:-http)?|stateless[=-](?:true|on))$/i, score: -60, because: "is started with" },
  { pattern: /^--?(?:stateful|sessions?|session-(?:id|timeout))(?:=.*)?$/i, score: 60, because: "is started with" },
  { pattern: /^(?:sse|--sse|--transport=sse)$/i, score: 60, because: "is started for HTTP+SSE, with" },
];

/** Words in names of servers and packages, and what they suggest about state. */
const words: readonly Clue[] = [
  { pattern: /playwright|puppeteer|browser|selenium|chrome/i, score: 50, because: "keeps an open browser" },
  {
    pattern: /terminal|\bshell\b|\bssh\b|\brepl\b|jupyter|notebook|debugger/i,
    score: 45,
    because: "keeps a running program",
  },
  {
    pattern: /sequential-?thinking|conversation|\bchat\b|session|workflow/i,
    score: 40,
    because: "continues from earlier calls",
  },
  { pattern: /memory|knowledge-?graph|serena/i, score: 30, because: "stores what it receives" },
  { pattern: /everything/i, score: 30, because: "demonstrates every feature of sessions" },
  { pattern: /\bdocs?\b|documentation|context7|search|wiki|lookup/i, score: -35, because: "only looks up data" },
  {
    pattern: /\bfetch\b|weather|\btime\b|translat|calculator|currency|\bnews\b/i,
    score: -35,
    because: "computes its answer from the request alone",
  },
  { pattern: /stateless/i, score: -50, because: "is stateless" },
  { pattern: /stateful/i, score: 50, because: "is stateful" },
];

export function hintFromMetadata(target: ProbeTarget, info: Implementation | undefined): Hint {
  const reasons: ScoredReason[] = isHttpTarget(target) ? fromUrl(target.url) : fromCommand(target.args ?? []);
  const names = [
    info?.name,
    target.name,
    ...(isHttpTarget(target) ? [] : [packageOf(target.command, target.args ?? [])]),
  ];
  const seen = new Set<Clue>();
  for (const name of names) {
    for (const clue of words) {
      if (name === undefined || seen.has(clue) || !clue.pattern.test(name)) continue;
      seen.add(clue);
      reasons.push({
        score: clue.score,
        text: `the name ${JSON.stringify(name)} suggests a server that ${clue.because}`,
      });
    }
  }
  return toHint("metadata", reasons);
}

function fromUrl(url: string): ScoredReason[] {
  const { pathname } = new URL(url);
  if (!/\/sse\/?$/.test(pathname)) return [];
  return [{ score: 60, text: `the path ${pathname} is that of HTTP+SSE` }];
}

function fromCommand(args: readonly string[]): ScoredReason[] {
  return args.flatMap((arg) => {
    const clue = flags.find(({ pattern }) => pattern.test(arg));
    return clue ? [{ score: clue.score, text: `it ${clue.because} ${arg}` }] : [];
  });
}

/** Returns "@scope/name" for `npx -y @scope/name@1.2.3`, or the last part of a path. */
function packageOf(command: string, args: readonly string[]): string {
  const isRunner = /(?:^|\/)(?:npx|uvx|bunx|pnpx|npm|node|deno|bun|python3?|uv)(?:\.cmd|\.exe)?$/.test(command);
  const named = isRunner
    ? args.find((arg) => !arg.startsWith("-") && !["exec", "run", "x", "dlx"].includes(arg))
    : command;
  return (named ?? command).replace(/.*node_modules\//, "").replace(/(?<=.)@[\w.-]+$/, "");
}
