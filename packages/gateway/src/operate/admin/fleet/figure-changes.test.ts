// Another replica learns all figures once, and then the changes, in answers of limited size.
import { expect, it } from "vitest";
import { emptyGatewayView } from "../../../testing/empty-view.ts";
import { upstreamView } from "../../../testing/streaming-replicas.ts";
import type { UpstreamView } from "../../observe/gateway-view.ts";
import { createTraffic } from "../../observe/traffic.ts";
import { FigureChanges } from "./figure-changes.ts";
import { FollowedFigures } from "./followed-figures.ts";

function createReplica(count: number) {
  const upstreams: UpstreamView[] = Array.from({ length: count }, (_, index) => upstreamView(`u${index}`));
  const view = () => ({ ...emptyGatewayView, upstreams });
  const changes = new FigureChanges();
  const ask = (query: Record<string, string>) => changes.read({ view, traffic: createTraffic() }, { path: {}, query });
  return { upstreams, ask };
}

/** Asks until all is known. Returns the numbers of upstreams in the answers. */
function follow(followed: FollowedFigures, { ask }: ReturnType<typeof createReplica>, version = ""): number[] {
  const sizes: number[] = [];
  for (let asked = version, hasMore = true; hasMore; ) {
    const answer = ask({ figures: asked, step: "" });
    followed.keep(answer);
    sizes.push(answer.upstreams.length);
    ({ hasMore } = answer);
    asked = String(answer.version);
    if (!hasMore) sizes.push(answer.version);
  }
  return sizes;
}

const namesOf = ({ current }: FollowedFigures) => [...(current?.upstreams.keys() ?? [])];

it("sends a thousand upstreams in pages of 200, and counts them when all are there", () => {
  const replica = createReplica(1_000);
  const followed = new FollowedFigures("bbbbbbbb");
  const first = replica.ask({ figures: "", step: "" });
  followed.keep(first);
  expect(followed.current).toBeUndefined();
  expect(follow(followed, replica, String(first.version)).slice(0, -1)).toEqual([200, 200, 200, 200]);
  expect(namesOf(followed)).toHaveLength(1_000);
});

it("sends the changes alone, to each replica those since its own last question", () => {
  const replica = createReplica(3);
  const first = replica.ask({ figures: "", step: "" });
  replica.upstreams[1] = upstreamView("u1", { sessions: 7 });
  const second = replica.ask({ figures: String(first.version), step: "" });
  expect(second.upstreams).toMatchObject([{ name: "u1", sessions: 7 }]);
  expect(replica.ask({ figures: String(second.version), step: "" }).upstreams).toEqual([]);
  expect(replica.ask({ figures: String(first.version), step: "" }).upstreams).toHaveLength(1);
});

it("forgets upstreams that a reload removed, also where all others fill several answers", () => {
  const replica = createReplica(450);
  const followed = new FollowedFigures("bbbbbbbb");
  const version = follow(followed, replica).at(-1);
  replica.upstreams.shift();
  expect(follow(followed, replica, String(version)).slice(0, -1)).toEqual([200, 200, 49]);
  expect(namesOf(followed)).not.toContain("u0");
  expect(namesOf(followed)).toHaveLength(449);
});

it("sends the step that ended once", () => {
  const { ask } = createReplica(1);
  const { ended, version } = ask({ figures: "", step: "" });
  expect(ended?.step).toBeGreaterThan(0);
  // The step may end between the two questions.
  const again = ask({ figures: String(version), step: String(ended?.step) });
  expect([undefined, (ended?.step ?? 0) + 1]).toContain(again.ended?.step);
});
