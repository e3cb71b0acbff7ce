// A test in which a server or a client of ours wrote a message that its revision does not know fails.
import { afterAll, afterEach } from "vitest";
import { replayChildren } from "./recorded-children.ts";
import { takeProblems } from "./transcript.ts";

function failOnProblems(): void {
  const problems = takeProblems();
  if (problems.length > 0) throw new Error(`wrong by the schema:\n${problems.join("\n")}`);
}

afterEach(failOnProblems);
/** What was written after the last test, and by processes of ours. */
afterAll(() => {
  replayChildren();
  failOnProblems();
});
