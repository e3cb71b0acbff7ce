// The registry: all revisions that this package speaks, newest first. A new revision is one folder and one line here.
import { revision as revision20241105 } from "./2024-11-05/revision.ts";
import { revision as revision20250326 } from "./2025-03-26/revision.ts";
import { revision as revision20250618 } from "./2025-06-18/revision.ts";
import { revision as revision20251125 } from "./2025-11-25/revision.ts";
import { revision as revision20260728 } from "./2026-07-28/revision.ts";
import type { Revision } from "./revision.ts";

/** All revisions, newest first. */
export const revisions: readonly Revision[] = [
  revision20260728,
  revision20251125,
  revision20250618,
  revision20250326,
  revision20241105,
];
