// The scripts that come with the package.
import type { Script, Step } from "./script.ts";

/** Two letters of it do not fit in Latin-1, and one not in a UTF-16 unit. */
export const awkwardName = "Łukasz 🦦";

const list: Step = { name: "list", feature: "list" };
const greet: Step = {
  name: "call greet",
  feature: "call",
  tool: "greet",
  arguments: { name: awkwardName },
  expects: awkwardName,
};

/** For a server that we do not know: calls nothing but `greet`, if there is one. */
export const carefulScript: Script = {
  name: "list, and greet where there is a tool of that name",
  steps: [list, greet],
};

/** For the demonstration server: every feature once. */
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
