// Gives the changes under "Unreleased" in CHANGELOG.md a version.

const unreleased = "## Unreleased\n";

/** Returns the versions that have a heading. */
export function releasedVersions(changelog) {
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version);
}

/** Returns the changelog after the release, and the notes of the release. `date` is YYYY-MM-DD. */
export function releaseChangelog(changelog, version, date) {
  const start = changelog.indexOf(unreleased);
  if (start === -1) throw new Error(`CHANGELOG.md has no line "${unreleased.trim()}"`);
  const rest = changelog.slice(start + unreleased.length);
  const end = rest.search(/^## /m);
  const notes = (end === -1 ? rest : rest.slice(0, end)).trim();
  if (notes === "") throw new Error('CHANGELOG.md lists no changes under "Unreleased": there is nothing to release');
  const older = end === -1 ? "" : `\n${rest.slice(end)}`;
  const text = `${changelog.slice(0, start)}${unreleased}\n## ${version} (${date})\n\n${notes}\n${older}`;
  return { text, notes };
}
