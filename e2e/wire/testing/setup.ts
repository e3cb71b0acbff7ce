// Fails a test in which a server or client of the project writes a message that its revision does not allow.
import { afterAll, afterEach } from "vitest";
import { replayChildren } from "./recorded-children.ts";
import { takeProblems } from "./transcript.ts";

function failOnProblems(): void {
  const problems = takeProblems();
  if (problems.length > 0) throw new Error(`wrong by the schema:\n${problems.join("\n")}`);
}

afterEach(failOnProblems);
/** Messages written after the last test, and by child processes. */
afterAll(() => {
  replayChildren();
  failOnProblems();
});
