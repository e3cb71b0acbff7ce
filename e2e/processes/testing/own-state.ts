// What commands of a test keep is kept apart from what their user has, and goes with the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export const ownState = { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), "lethe-state-")) };
afterAll(() => rmSync(ownState.XDG_STATE_HOME, { recursive: true, force: true }));
