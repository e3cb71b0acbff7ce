// The fixture of the official suite's server legs: node conformance/dist/server.js --port N [--era legacy]
import { parseArgs } from "node:util";
import type { Server } from "@lethe/server";
import { type Servable, serve } from "@lethe/server/node";
import { createFixture } from "./fixture.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, era: { type: "string", default: "both" } },
});
const fixture = createFixture().skills(new URL("../skills", import.meta.url));
const { url } = await serve(values.era === "legacy" ? toLegacyOnly(fixture) : fixture, { port: Number(values.port) });
console.log(url);

/** Like a server of 2025-11-25: it claims all requests for the legacy era. */
function toLegacyOnly(server: Server): Servable {
  const { dispatch, info, legacy } = server;
  return { dispatch, info, ...(legacy && { legacy: { ...legacy, claims: () => true } }) };
}
