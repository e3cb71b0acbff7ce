// Separates the fake clocks of test files.
import { aroundEach } from "vitest";
import { asFile } from "./own-timers.ts";

aroundEach((run, { task }) => asFile(task.file.filepath, run));
