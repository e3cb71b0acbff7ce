// The `_meta` member of discover and lists that names the upstreams that are starting or down. Their items may be outdated or
// absent.
export const missingMetaKey = "lethe/missing";
