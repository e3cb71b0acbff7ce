// A package registry on this machine that has the packed packages of this repository. It redirects requests for other packages
// to the registry that npm uses, so that npm finds them in its cache.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

export interface LocalRegistry {
  readonly url: string;
  /** The folder of the tarballs. */
  readonly folder: string;
  close(): Promise<void>;
}

interface Packed {
  readonly name: string;
  readonly version: string;
}

export async function startRegistry(folder: string): Promise<LocalRegistry> {
  const { stdout } = await run(process.execPath, [join(root, "scripts/pack.mjs"), folder]);
  const { stdout: upstream } = await run("npm", ["config", "get", "registry"]);
  const documents = new Map<string, (url: string) => object>();
  for (const path of stdout.trim().split("\n")) {
    const manifest = JSON.parse((await run("tar", ["xzOf", path, "package/package.json"])).stdout) as Packed;
    const integrity = `sha512-${createHash("sha512")
      .update(await readFile(path))
      .digest("base64")}`;
    documents.set(manifest.name, (url) => ({
      name: manifest.name,
      "dist-tags": { latest: manifest.version },
      versions: {
        [manifest.version]: { ...manifest, dist: { integrity, tarball: `${url}/-/tarballs/${basename(path)}` } },
      },
    }));
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const document = documents.get(path);
    if (document) {
      response.setHeader("content-type", "application/json").end(JSON.stringify(document(url)));
    } else if (path.startsWith("-/tarballs/")) {
      readFile(join(folder, basename(path))).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    } else {
      response.writeHead(302, { location: new URL(request.url ?? "", upstream.trim()).href }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    folder,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
