// The client fixture of the official suite: plays the scenario that the environment names against the URL in the last argument.

import { scenarioOf } from "./client/scenarios.ts";
import { readTask } from "./client/task.ts";

const task = readTask(process.argv, process.env);
try {
  await scenarioOf(task.scenario)(task);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
