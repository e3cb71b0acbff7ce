// Chooses the version of a release.

const steps = ["major", "minor", "patch"];

/** `wanted` is a version, a step (major, minor, patch), or absent for the version of the manifests if it has no release yet. */
export function nextVersion(wanted, current, released) {
  if (wanted === undefined) {
    if (!released.includes(current)) return current;
    throw new Error(`${current} is released already: name the next version, or ${steps.join(", ")}`);
  }
  const parts = current.split(".").map(Number);
  const step = steps.indexOf(wanted);
  const version =
    step === -1 ? wanted : parts.map((part, index) => (index < step ? part : index === step ? part + 1 : 0)).join(".");
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`expected a version such as 1.2.0, or one of ${steps.join(", ")}; got "${wanted}"`);
  if (released.includes(version)) throw new Error(`${version} is released already`);
  if (isOlder(version, current)) throw new Error(`${version} is older than ${current}, the version of the packages`);
  return version;
}

function isOlder(version, current) {
  return version.localeCompare(current, "en", { numeric: true }) < 0;
}
