// The server that clients on stdio are measured against: one write for all that came with one piece of input.
import { answerTo } from "./peer-answer.ts";

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  const answers = lines.map(answerTo).filter((answer) => answer !== undefined);
  if (answers.length > 0) process.stdout.write(`${answers.join("\n")}\n`);
});
