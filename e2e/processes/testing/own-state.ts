// Keeps the state of commands that a test runs apart from the user's own, and deletes it after the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export const ownState = { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), "lethe-state-")) };
afterAll(() => rmSync(ownState.XDG_STATE_HOME, { recursive: true, force: true }));
