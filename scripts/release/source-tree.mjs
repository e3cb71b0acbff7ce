// A copy of the source tree in which a release is prepared, so that a failed release changes nothing.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies the files that git does not ignore, and links to installed dependencies. Returns the paths of the copied files. */
export function copySourceTree(root, target) {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const files = listed.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
  for (const file of files) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file));
  }
  linkModules(join(root, "node_modules"), join(target, "node_modules"));
  for (const name of readdirSync(join(target, "packages"))) {
    const modules = join(root, "packages", name, "node_modules");
    if (existsSync(modules)) symlinkSync(modules, join(target, "packages", name, "node_modules"));
  }
  return files;
}

/** Packages of the workspace are relative links, which lead to the copies. All others lead to the original folders. */
function linkModules(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), join(to, name));
    else if (name === "@lethe") linkModules(path, join(to, name));
    else symlinkSync(path, join(to, name));
  }
}
