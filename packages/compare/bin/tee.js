#!/usr/bin/env node
// Runs a program and logs every line on its stdin and stdout. The bytes pass unchanged.
// Usage: tee.js FILE COMMAND [ARGUMENT...]. FILE gets one JSON object per line.
import { spawn } from "node:child_process";
import { openSync, writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const [file, command, ...args] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write("usage: tee.js FILE COMMAND [ARGUMENT...]\n");
  process.exit(64);
}
/** Characters logged of one line. Further characters are only counted. */
const maxLine = 1 << 20;
const log = openSync(file, "w");
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

child.on("error", (error) => {
  process.stderr.write(`cannot start ${command}: ${error.message}\n`);
  process.exit(127);
});
// A side that stops reading is not an error of the pipe.
for (const stream of [child.stdin, process.stdout]) stream.on("error", () => {});

void copy(process.stdin, child.stdin, "client");
const written = copy(child.stdout, process.stdout, "server");

child.on("close", async (code, signal) => {
  await written;
  process.exit(signal === null ? code : 1);
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));

/** Copies `from` to `to` and logs each line. Resolves at the end of `from`. */
function copy(from, to, sender) {
  const decoder = new StringDecoder();
  let line = "";
  let bytes = 0;
  const take = (text, size) => {
    if (line.length < maxLine) line += text.slice(0, maxLine - line.length);
    bytes += size;
  };
  const flush = () => {
    if (bytes > 0)
      writeSync(log, `${JSON.stringify({ at: Number(process.hrtime.bigint()) / 1e6, sender, bytes, text: line })}\n`);
    line = "";
    bytes = 0;
  };
  from.on("data", (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      take(decoder.write(chunk.subarray(start, end)), end + 1 - start);
      flush();
      start = end + 1;
    }
    if (start < chunk.length) take(decoder.write(chunk.subarray(start)), chunk.length - start);
    if (!to.write(chunk)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
  });
  return new Promise((resolve) => {
    from.on("end", () => {
      flush();
      if (to === process.stdout) resolve();
      else to.end();
    });
  });
}
