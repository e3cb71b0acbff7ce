// The scripts included in the package.
import type { Script, Step, Survey } from "./script.ts";

/** Contains characters outside Latin-1 and one outside the Basic Multilingual Plane. */
const awkwardName = "Łukasz 🦦";

const list: Step = { name: "list", feature: "list" };
const greet: Step = {
  name: "call greet",
  feature: "call",
  tool: "greet",
  arguments: { name: awkwardName },
  expects: awkwardName,
};

/** The default for any server except the built-in one. */
export const surveyScript: Survey = {
  name: "every feature that the server declares; read-only tools are called with generated arguments",
  kind: "survey",
};

/** For request counts: connects, lists the tools and calls one. */
export const minimalScript: Survey = { name: "connect, list the tools, call one", kind: "minimal" };

/** Runs before the first recording, so that its times do not include loading the code. */
export const warmUpScript: Script = { name: "warm-up", steps: [list, greet] };

/** Tries every feature of the demonstration server once. */
export const demoScript: Script = {
  name: "every feature of the demonstration server once",
  steps: [
    list,
    greet,
    {
      name: "ask the model",
      feature: "sampling",
      tool: "summarize",
      arguments: { text: "A long text" },
      expects: "short",
    },
    { name: "ask the user", feature: "elicitation", tool: "book_table", expects: "2" },
    { name: "ask for roots", feature: "roots", tool: "list_folders", expects: "file:///" },
    { name: "report progress", feature: "progress", tool: "count", expects: "3" },
    { name: "log", feature: "logging", tool: "chatter" },
    { name: "change the tools", feature: "changes", tool: "grow" },
    { name: "work in the background", feature: "background", tool: "render" },
  ],
};
