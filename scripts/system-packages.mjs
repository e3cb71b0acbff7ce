// Installs the system packages of the end-to-end tests with apt-get if it runs as root.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { run } from "./ready.mjs";

const packageOf = {
  nginx: "nginx-light",
  haproxy: "haproxy",
  chromium: "chromium",
  "redis-server": "redis-server",
  prometheus: "prometheus",
  postgres: "postgresql",
  tinyproxy: "tinyproxy-bin",
};

function isInstalled(command) {
  // Debian installs the programs of PostgreSQL beside the path.
  const isBesidePath = command === "postgres" && existsSync("/usr/lib/postgresql");
  return isBesidePath || !spawnSync(command, ["-v"]).error;
}

export function installSystemPackages() {
  const missing = Object.keys(packageOf).filter((command) => !isInstalled(command));
  if (missing.length === 0) return;
  const packages = missing.map((command) => packageOf[command]);
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).error) {
    console.error(`The end-to-end tests need ${missing.join(", ")}: install ${packages.join(", ")} and start again.`);
    process.exit(1);
  }
  console.error(`Installing ${packages.join(", ")} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  run("apt-get", ["update", "-qq"], { env });
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { env });
}
