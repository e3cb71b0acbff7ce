// Logs in with a simulated browser that follows the redirects of the authorization server (G-30 to G-46).
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../../packages/client/src/auth/testing/authorization-server.ts";
import { type ProtectedServer, startProtectedServer } from "../../packages/client/src/auth/testing/protected-server.ts";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { runLetheWith } from "../processes/lethe.ts";

let folder: string;
let authorizationServer: AuthorizationServer;
let server: ProtectedServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-"));
  const browser = join(folder, "xdg-open");
  await writeFile(browser, `#!/bin/sh\nexec "${process.execPath}" -e 'fetch(process.argv[1])' "$1"\n`);
  await chmod(browser, 0o755);
  authorizationServer = await startAuthorizationServer();
  server = await startProtectedServer({ servers: [authorizationServer] });
});
afterAll(async () => {
  await Promise.all([authorizationServer.close(), server.close()]);
  await rm(folder, { recursive: true });
});

function call(...options: string[]) {
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, XDG_STATE_HOME: folder };
  return runLetheWith(env, "call", server.url.href, "enter", ...options);
}

describe.skipIf(process.platform !== "linux")("lethe call --login", () => {
  it("lethe call --login logs in once and stores the token in a file that only the user can read", async () => {
    expect((await call()).stderr).toContain("Log in with --login");
    const first = await call("--login");
    expect(first).toMatchObject({ code: 0, stdout: "in\n" });
    expect(first.stderr).toContain(`Log in on this page: ${authorizationServer.issuer}/authorize?`);
    expect(await call("--login")).toMatchObject({ code: 0, stdout: "in\n", stderr: "" });
    expect(authorizationServer.authorizations).toHaveLength(1);
    expect((await stat(join(folder, "lethe", "auth"))).mode & 0o777).toBe(0o700);
  });

  it("lethe call --login uses the redirect URI of a pre-registered client", async () => {
    const redirectPort = String(await findFreePort());
    const { code } = await call("--login", "--client-id", "mine", "--redirect-port", redirectPort);
    expect(code).toBe(0);
    const asked = authorizationServer.authorizations.at(-1);
    expect(asked?.get("client_id")).toBe("mine");
    expect(asked?.get("redirect_uri")).toBe(`http://127.0.0.1:${redirectPort}/callback`);
  });
});
