// Finds the existing files that servers written for Node open for given URIs. Reads {root, uris}, writes a list of paths for each.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const { root, uris } = JSON.parse(readFileSync(0, "utf8"));
const after = (uri, prefix) => {
  if (!uri.toLowerCase().startsWith(prefix)) throw new Error("another scheme");
  return uri.slice(prefix.length);
};
const readers = [
  (uri) => fileURLToPath(uri),
  (uri) => resolve(fileURLToPath(uri)),
  (uri) => decodeURIComponent(fileURLToPath(uri)),
  (uri) => new URL(after(uri, "file:") && uri).pathname,
  (uri) => decodeURIComponent(new URL(after(uri, "file:") && uri).pathname),
  (uri) => normalize(decodeURIComponent(new URL(after(uri, "file:") && uri).pathname).normalize("NFKC")),
  (uri) => after(uri, "file://"),
  (uri) => normalize(after(uri, "file://")),
  (uri) => decodeURIComponent(after(uri, "file://")),
  (uri) => resolve(decodeURIComponent(after(uri, "file://").split(/[?#]/)[0])),
  (uri) => resolve(decodeURIComponent(after(uri, "file:")).replaceAll("\\", "/")),
  (uri) => join(root, after(uri, "notes://")),
  (uri) => join(root, decodeURIComponent(after(uri, "notes://"))),
  (uri) => join(root, decodeURIComponent(decodeURIComponent(after(uri, "notes://")))).trim(),
  (uri) => {
    const { host, pathname } = new URL(after(uri, "notes:") && uri);
    return join(root, decodeURIComponent(host), decodeURIComponent(pathname));
  },
];

function open(reader, uri) {
  try {
    const path = realpathSync(reader(uri));
    return statSync(path).isFile() ? [path] : [];
  } catch {
    return [];
  }
}

process.stdout.write(JSON.stringify(uris.map((uri) => [...new Set(readers.flatMap((reader) => open(reader, uri)))])));
