// The names of keys and channels in a Redis Cluster. The keys of one script are in one slot: a hash tag puts them there.

/** Keys of the directory: its scripts read the leases of other replicas. */
const directory = /^(?:(?:lease|suspect|member|claim|marker|room):|(?:quiet|anybody|earlier|replicas)$)/;
/** States of callers that were used, with their rounds. */
const singleUse = /^(?:single-use|answer|answering)(?::|$)/;
/** The base of the keys of a task store. */
const tasks = /^tasks(?::\d+)?$/;

/** The name from which the slot of the directory follows. */
export const directoryName = "replicas";

/** Returns the function that adds the prefix, and a hash tag where several keys belong together. */
export function createClusterNames(prefix: string): (name: string) => string {
  return (name) => {
    if (directory.test(name)) return `${prefix}{${prefix}directory}${name}`;
    if (singleUse.test(name)) return `${prefix}{${prefix}single-use}${name}`;
    return tasks.test(name) ? `${prefix}{${prefix}${name}}` : `${prefix}${name}`;
  };
}
