// Cuts the network between two machines.
import type { World } from "../world/world.ts";

/** Returns what restores the paths. */
export function cutPaths(world: World, pairs: readonly (readonly [string, string])[]): () => void {
  const paths = pairs.map(([from, to]) => world.path(from, to));
  for (const path of paths) path.cut();
  return () => {
    for (const path of paths) path.restore();
  };
}

/** Both directions, or one. */
export function drawDirections({ random }: World, one: string, other: string): [string, string][] {
  return random.pick([
    [
      [one, other],
      [other, one],
    ],
    [[one, other]],
    [[other, one]],
  ]);
}
