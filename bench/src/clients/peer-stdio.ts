// The stdio server that the measured clients call. It answers all requests of one input chunk with one write.
import { answerTo } from "./peer-answer.ts";

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  const answers = lines.map(answerTo).filter((answer) => answer !== undefined);
  if (answers.length > 0) process.stdout.write(`${answers.join("\n")}\n`);
});
