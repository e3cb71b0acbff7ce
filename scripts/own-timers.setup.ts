// A fake clock has the timers of its own test file only.
import { aroundEach } from "vitest";
import { asFile } from "./own-timers.ts";

aroundEach((run, { task }) => asFile(task.file.filepath, run));
