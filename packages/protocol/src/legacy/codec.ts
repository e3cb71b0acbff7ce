// The codecs of all older revisions. Each is the next newer one with less in it, so the oldest folder can always be deleted.
import { codec as codec20241105 } from "./2024-11-05/codec.ts";
import { codec as codec20250326 } from "./2025-03-26/codec.ts";
import { codec as codec20250618 } from "./2025-06-18/codec.ts";
import { codec as codec20251125 } from "./2025-11-25/codec.ts";
import type { LegacyRevision } from "./revision.ts";
import type { RevisionCodec } from "./revision-codec.ts";

const codecs: Readonly<Record<LegacyRevision, RevisionCodec>> = {
  "2025-11-25": codec20251125,
  "2025-06-18": codec20250618,
  "2025-03-26": codec20250326,
  "2024-11-05": codec20241105,
};

export function codecOf(revision: LegacyRevision): RevisionCodec {
  return codecs[revision];
}
