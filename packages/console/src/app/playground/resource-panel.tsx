// One resource: its contents, and its changes while the user watches it. A template first gets its URI.
import { type FormEvent, useEffect, useId, useState } from "react";
import { formatAmount } from "../format/numbers.ts";
import { describeError, type EraChoice } from "../mcp/endpoint-client.ts";
import { Badge } from "../parts/badge.tsx";
import { CallButtons } from "./call-buttons.tsx";
import { CallResults } from "./call-results.tsx";
import { type Offer, useSession } from "./use-session.ts";

export function ResourcePanel({ uri: given, offer }: { uri: string; offer: Offer }) {
  const { call } = useSession();
  const isTemplate = offer.templates.some(({ uriTemplate }) => uriTemplate === given);
  const [uri, setUri] = useState(given);
  const [eras, setEras] = useState<readonly EraChoice[]>(["auto"]);
  const id = useId();
  const known = offer.resources.find((resource) => resource.uri === given);
  const template = offer.templates.find(({ uriTemplate }) => uriTemplate === given);
  const description = known?.description ?? template?.description;
  function submit(event: FormEvent): void {
    event.preventDefault();
    for (const era of eras) void call("resource", uri, {}, era);
  }
  return (
    <div className="workbench-columns">
      <section className="card" aria-labelledby={`${id}-title`}>
        <div className="stack head">
          <h2 id={`${id}-title`} className="wrap">
            {known?.title ?? known?.name ?? template?.name ?? given}
          </h2>
          {description && <p className="muted">{description}</p>}
        </div>
        <form className="schema-form" onSubmit={submit}>
          <div className="field">
            <label htmlFor={`${id}-uri`}>URI</label>
            <input id={`${id}-uri`} required value={uri} onChange={(event) => setUri(event.target.value)} />
            {isTemplate && <p className="field-hint">Replace the parts in braces.</p>}
          </div>
          <CallButtons verb="Read" eras={eras} onEras={setEras} />
        </form>
        <Watch uri={uri} onChange={() => void call("resource", uri, {}, "auto")} />
      </section>
      <CallResults kind="resource" target={uri} />
    </div>
  );
}

/** Subscribes to the resource while it is switched on, and reads it again after each change. */
function Watch({ uri, onChange }: { uri: string; onChange: () => void }) {
  const { clients } = useSession();
  const [isOn, setIsOn] = useState(false);
  const [changes, setChanges] = useState(0);
  const [problem, setProblem] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: onChange is another function with each rendering.
  useEffect(() => {
    if (!isOn) return;
    let close = async (): Promise<void> => {};
    let isOver = false;
    async function begin(): Promise<void> {
      const client = await clients.of("auto");
      const subscription = await client.subscribe({ resourceSubscriptions: [uri] }, (change) => {
        if (change.kind !== "resource") return;
        setChanges((count) => count + 1);
        onChange();
      });
      close = async () => subscription.close();
      if (isOver) await close();
    }
    setProblem(undefined);
    begin().catch((error: unknown) => setProblem(describeError(error)));
    return () => {
      isOver = true;
      void close();
    };
  }, [isOn, uri, clients]);
  return (
    <div className="row">
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={(event) => setIsOn(event.target.checked)} />
        Read again when it changes
      </label>
      {isOn && !problem && <Badge tone="info">{formatAmount(changes, "change")}</Badge>}
      {problem && <p className="field-error">{problem}</p>}
    </div>
  );
}
