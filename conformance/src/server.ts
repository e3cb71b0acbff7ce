// The fixture of the official suite's server legs: node conformance/dist/server.js --port N
import { parseArgs } from "node:util";
import { serve } from "@lethe/server/node";
import { createFixture } from "./fixture.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
const { url } = await serve(createFixture(), { port: Number(values.port) });
console.log(url);
