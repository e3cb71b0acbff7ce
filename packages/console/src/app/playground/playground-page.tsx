// The playground: an MCP client in the browser, over the endpoint of the server of the page.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { describeError, needsKey } from "../mcp/endpoint-client.ts";
import { playgroundSessionOf } from "../mcp/playground-sessions.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Empty, Failed, KeyForm, Loading } from "../parts/page-state.tsx";
import { useSettings } from "../parts/settings-context.ts";
import { EndpointChoice } from "./endpoint-choice.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { ItemList } from "./item-list.tsx";
import { PromptPanel } from "./prompt-panel.tsx";
import { ResourcePanel } from "./resource-panel.tsx";
import { ToolPanel } from "./tool-panel.tsx";
import { useListChanges } from "./use-list-changes.ts";
import { type Offer, SessionContext, useOffer, useSession } from "./use-session.ts";

export function PlaygroundPage() {
  const { mcp } = useSettings();
  const { endpoint } = useSearch({ from: "/playground" });
  if (mcp === undefined) {
    return (
      <Empty title="No MCP endpoint on this port">
        <p>
          The administration of this gateway has a port of its own. Run <code>lethe console URL</code> with the address
          of the endpoint, or remove <code>gateway.admin.port</code>.
        </p>
      </Empty>
    );
  }
  const session = playgroundSessionOf(urlOf(mcp, endpoint));
  return (
    <SessionContext value={session} key={session.url.href}>
      <Playground />
    </SessionContext>
  );
}

/** A named endpoint is below the merged one. */
function urlOf(mcp: string, endpoint: string | undefined): URL {
  return new URL(endpoint === undefined ? mcp : `${mcp}/${encodeURIComponent(endpoint)}`, location.origin);
}

function Playground() {
  const { admin } = useSettings();
  const { key, url } = useSession();
  const caller = useSyncExternalStore(key.subscribe, key.get);
  const { data: offer, error, refetch, isFetching } = useOffer();
  useListChanges(offer?.server.capabilities, refetch);
  if (needsKey(error)) {
    const what = admin === undefined ? "server" : "gateway";
    return (
      <KeyForm
        title={`Callers of this ${what} need a key`}
        hint={
          caller === undefined
            ? "The playground calls as the caller whose key you enter."
            : `The ${what} does not accept this key.`
        }
        onKey={(value) => key.set(value)}
      />
    );
  }
  if (error) {
    return (
      <Failed title="The endpoint cannot be used">
        <p>
          <span className="mono wrap">{url.href}</span>: {describeError(error)}
        </p>
        <EndpointChoice />
        <button type="button" className="button" onClick={() => void refetch()}>
          Try again
        </button>
      </Failed>
    );
  }
  if (!offer) return <Loading label="Connecting to the endpoint" />;
  return (
    <>
      <PageHeader
        title="Playground"
        hint={
          <>
            <span className="mono wrap">{url.href}</span> · {offer.revision}
          </>
        }
      >
        <EndpointChoice />
        {caller !== undefined && (
          <button type="button" className="button button-small" onClick={() => key.set(undefined)}>
            Forget the key
          </button>
        )}
        <button type="button" className="button button-small" disabled={isFetching} onClick={() => void refetch()}>
          Read lists again
        </button>
      </PageHeader>
      <Workbench offer={offer} />
    </>
  );
}

function Workbench({ offer }: { offer: Offer }) {
  const { kind = "tools", item, endpoint } = useSearch({ from: "/playground" });
  const at = endpoint !== undefined && { endpoint };
  const navigate = useNavigate();
  const [preset, setPreset] = useState<{ readonly args: Readonly<Record<string, unknown>> }>();
  return (
    <div className={item === undefined ? "workbench" : "workbench workbench-open"}>
      <ItemList
        offer={offer}
        kind={kind}
        selected={item}
        onSelect={(nextKind, next) => {
          setPreset(undefined);
          void navigate({
            to: "/playground",
            search: { ...at, kind: nextKind, ...(next !== undefined && { item: next }) },
          });
        }}
      />
      <div className="workbench-main">
        {item !== undefined && (
          <button
            type="button"
            className="button button-small workbench-back"
            onClick={() => void navigate({ to: "/playground", search: { ...at, kind } })}
          >
            <ArrowLeft size={14} aria-hidden="true" /> All {kind}
          </button>
        )}
        <Item offer={offer} kind={kind} item={item} preset={preset?.args} />
        <HistoryPanel
          onRepeat={({ kind: called, target, args }) => {
            setPreset({ args });
            void navigate({ to: "/playground", search: { ...at, kind: `${called}s`, item: target } });
          }}
        />
      </div>
    </div>
  );
}

interface ItemProps {
  offer: Offer;
  kind: "tools" | "prompts" | "resources";
  item: string | undefined;
  preset: Readonly<Record<string, unknown>> | undefined;
}

function Item({ offer, kind, item, preset }: ItemProps) {
  if (item === undefined) {
    return (
      <section className="card workbench-hint">
        <Empty title="Choose a tool, prompt or resource">
          <p>Its form, its result and everything that happens in between appear here.</p>
        </Empty>
      </section>
    );
  }
  const key = `${item} ${JSON.stringify(preset)}`;
  const tool = kind === "tools" ? offer.tools.find(({ name }) => name === item) : undefined;
  if (tool) return <ToolPanel key={key} tool={tool} preset={preset} />;
  const prompt = kind === "prompts" ? offer.prompts.find(({ name }) => name === item) : undefined;
  if (prompt) return <PromptPanel key={key} prompt={prompt} preset={preset} />;
  if (kind === "resources") return <ResourcePanel key={item} uri={item} offer={offer} />;
  return <Failed title={`The endpoint offers no “${item}”`} />;
}
