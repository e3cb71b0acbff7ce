// The `_meta` member of discover and lists that names the upstreams that are starting or down: their items may be old or absent.
export const missingMetaKey = "lethe/missing";
