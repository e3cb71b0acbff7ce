// Formats validation issues in one line for a model or a developer.
import type { StandardIssue } from "@lethe/protocol";

const maxIssues = 8;

/** "id: expected a number; tags.0: expected a string". */
export function toIssueText(issues: readonly StandardIssue[]): string {
  const lines = issues.slice(0, maxIssues).map(({ path, message }) => {
    const place = path?.map(toStep).join(".") ?? "";
    return place === "" ? message : `${place}: ${message}`;
  });
  if (issues.length > maxIssues) lines.push(`and ${issues.length - maxIssues} more`);
  return lines.join("; ");
}

function toStep(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === "object" ? segment.key : segment);
}
