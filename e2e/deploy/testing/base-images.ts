// Base images for a machine that reaches no registry: Debian from its archive, Node from its npm package, Python from Debian. They have
// the commands that the Dockerfile uses, at the same places as the official images.
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installIn, installOnce, installWith } from "../../programs/install.ts";
import type { Buildah } from "./buildah.ts";

/** The arguments of the Dockerfile, and the images that this file makes for them. */
export const baseImages = {
  NODE_IMAGE: "localhost/lethe-base/node",
  BASE_IMAGE: "localhost/lethe-base/debian",
  PYTHON_IMAGE: "localhost/lethe-base/python",
} as const;

const suite = "bookworm";
const node = ["node@24.21.0", "npm@11.21.2"];
const certificates = "/etc/ssl/certs/ca-certificates.crt";
/** The packages of this machine may come through a proxy whose certificate only this machine knows. */
const trust = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "PIP_CERT"].map((name) => `${name}=${certificates}`);

/** Resolves with the reason if the images cannot be made. */
export async function makeBaseImages(buildah: Buildah): Promise<string | undefined> {
  const { BASE_IMAGE, NODE_IMAGE, PYTHON_IMAGE } = baseImages;
  const debian = await installOnce("debian", [suite], async (folder) => {
    const packages = "--include=ca-certificates";
    await installWith("mmdebstrap", "--variant=minbase", packages, suite, join(folder, "root.tar"));
  });
  if (debian.reason !== undefined) return `mmdebstrap: ${debian.reason}`;
  const programs = await installOnce("node-for-images", node, async (folder) => {
    await writeFile(join(folder, "package.json"), "{}");
    await installIn({}, "npm", "install", "--prefix", folder, "--no-audit", "--no-fund", ...node);
    await mkdir(join(folder, "bin"));
    await copyFile(join(folder, "node_modules/node/bin/node"), join(folder, "bin/node"));
  });
  if (programs.reason !== undefined) return `npm: ${programs.reason}`;
  await make(buildah, BASE_IMAGE, undefined, async (container) => {
    await buildah.run("add", "--quiet", container, join(debian.folder, "root.tar"), "/");
    await buildah.run("copy", "--quiet", container, certificates, certificates);
    const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    await buildah.run("config", ...[path, ...trust].flatMap((variable) => ["--env", variable]), container);
  });
  await make(buildah, NODE_IMAGE, BASE_IMAGE, async (container) => {
    await buildah.run("copy", "--quiet", container, join(programs.folder, "bin/node"), "/usr/local/bin/node");
    const modules = "/usr/local/lib/node_modules/npm";
    await buildah.run("copy", "--quiet", container, join(programs.folder, "node_modules/npm"), modules);
    for (const name of ["npm", "npx"])
      await runIn(buildah, container, "ln", "-s", `${modules}/bin/${name}-cli.js`, `/usr/local/bin/${name}`);
  });
  await make(buildah, PYTHON_IMAGE, BASE_IMAGE, async (container) => {
    await runIn(buildah, container, "apt-get", "update", "-qq");
    await runIn(buildah, container, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "python3-pip");
  });
  return undefined;
}

async function make(
  buildah: Buildah,
  image: string,
  base: string | undefined,
  fill: (container: string) => Promise<void>,
): Promise<void> {
  if (await buildah.has(image)) return;
  const container = await buildah.run("from", "--pull-never", base ?? "scratch");
  await fill(container);
  await buildah.run("commit", "--quiet", "--rm", container, image);
}

function runIn(buildah: Buildah, container: string, ...command: string[]): Promise<string> {
  return buildah.run("run", "--isolation", "chroot", container, "--", ...command);
}
