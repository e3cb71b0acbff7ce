// What the endpoint offers: tools, prompts and resources, with a filter.
import { useId, useState } from "react";
import { formatAmount } from "../format/numbers.ts";
import { Tabs } from "../parts/tabs.tsx";
import type { Offer } from "./use-session.ts";

type Kind = "tools" | "prompts" | "resources";

interface ItemListProps {
  offer: Offer;
  kind: Kind;
  selected: string | undefined;
  onSelect: (kind: Kind, item?: string) => void;
}

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly text: string | undefined;
}

export function ItemList({ offer, kind, selected, onSelect }: ItemListProps) {
  const [filter, setFilter] = useState("");
  const id = useId();
  const entries: Readonly<Record<Kind, readonly Entry[]>> = {
    tools: offer.tools.map(({ name, title, description }) => ({ id: name, title: name, text: title ?? description })),
    prompts: offer.prompts.map(({ name, title, description }) => ({
      id: name,
      title: name,
      text: title ?? description,
    })),
    resources: [
      ...offer.resources.map(({ uri, name, title }) => ({ id: uri, title: title ?? name, text: uri })),
      ...offer.templates.map(({ uriTemplate, name, title }) => ({
        id: uriTemplate,
        title: title ?? name,
        text: uriTemplate,
      })),
    ],
  };
  const kinds: Kind[] = ["tools", "prompts", "resources"];
  const wanted = filter.trim().toLowerCase();
  const shown = (of: Kind) =>
    entries[of].filter(({ title, text }) => `${title} ${text ?? ""}`.toLowerCase().includes(wanted));
  return (
    <section className="card card-flush item-list" aria-label="Offer of the endpoint">
      <div className="item-filter">
        <label htmlFor={id} className="visually-hidden">
          Filter
        </label>
        <input
          id={id}
          type="search"
          placeholder={`Filter ${formatAmount(entries[kind].length, kind.slice(0, -1))}`}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      <Tabs
        label="Kinds"
        selected={kind}
        onSelect={(next) => onSelect(next as Kind)}
        items={kinds.map((of) => ({
          id: of,
          name: `${of[0]?.toUpperCase()}${of.slice(1)}`,
          count: entries[of].length,
          content: <Entries entries={shown(of)} selected={selected} onSelect={(item) => onSelect(of, item)} />,
        }))}
      />
    </section>
  );
}

interface EntriesProps {
  entries: readonly Entry[];
  selected: string | undefined;
  onSelect: (item: string) => void;
}

function Entries({ entries, selected, onSelect }: EntriesProps) {
  if (entries.length === 0) return <p className="item-none muted">None</p>;
  return (
    <ul className="items">
      {entries.map(({ id, title, text }) => (
        <li key={id}>
          <button
            type="button"
            className="item"
            aria-current={id === selected ? "true" : undefined}
            onClick={() => onSelect(id)}
          >
            <span className="item-title">{title}</span>
            {text && <span className="item-text">{text}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
