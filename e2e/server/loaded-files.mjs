// Reports the files that a program loads: `node --import ./loaded-files.mjs PROGRAM`. Answers each IPC message with their URLs, and with the
// modules of Node.
import { register } from "node:module";
import { MessageChannel } from "node:worker_threads";

const hook = `let port;
export function initialize(data) { port = data.port; }
export async function load(url, context, nextLoad) { port.postMessage(url); return nextLoad(url, context); }`;

const { port1, port2 } = new MessageChannel();
const urls = [];
port1.on("message", (url) => urls.push(url)).unref();
register(`data:text/javascript,${encodeURIComponent(hook)}`, { data: { port: port2 }, transferList: [port2] });
process.on("message", () => process.send(urls));
