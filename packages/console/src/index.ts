// Entry point of @lethe/console: serves the built pages of the console.
export { type ServeConsoleOptions, type ServedConsole, serveConsole } from "./local/serve-console.ts";
export {
  answerConsole,
  type ConsoleAnswer,
  type ConsoleRequest,
  type ConsoleSettings,
  consolePath,
} from "./site/answer-console.ts";
