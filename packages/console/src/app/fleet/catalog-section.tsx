// What an upstream offers, and what the definition of each tool costs a model in tokens.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { CatalogAnswer, CatalogItem } from "../admin/admin-api.ts";
import { useAdminQuery } from "../admin/use-admin.ts";
import { formatBytes, formatCount } from "../format/numbers.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Empty, Loading } from "../parts/page-state.tsx";
import { Tabs } from "../parts/tabs.tsx";

type Kind = "tools" | "prompts" | "resources" | "templates";

const kinds: readonly (readonly [Kind, string])[] = [
  ["tools", "Tools"],
  ["prompts", "Prompts"],
  ["resources", "Resources"],
  ["templates", "Templates"],
];

interface CatalogSectionProps {
  name: string;
  /** Whether the replica of this console has the upstream. If not, its catalog is from another one, and the playground cannot call it. */
  isOwn: boolean;
}

export function CatalogSection({ name, isOwn }: CatalogSectionProps) {
  const { data: catalog, error } = useAdminQuery<CatalogAnswer>(`/upstreams/${encodeURIComponent(name)}/catalog`);
  const [shown, setShown] = useState<CatalogItem>();
  return (
    <section className="card card-flush" aria-labelledby="catalog-title">
      <div className="card-head">
        <h2 id="catalog-title">
          Catalog{" "}
          {catalog && catalog.tools.length > 0 && (
            <span className="muted">about {formatCount(catalog.toolTokens)} tokens for all tools</span>
          )}
          {catalog && !isOwn && <span className="muted"> at replica {catalog.replica}</span>}
        </h2>
      </div>
      {error && !catalog && <p className="banner banner-bad">{error.message}</p>}
      {!catalog && !error && <Loading label="Reading the catalog" />}
      {catalog && (
        <Tabs
          label="Kinds"
          items={kinds
            .filter(([kind]) => kind === "tools" || catalog[kind].length > 0)
            .map(([kind, title]) => ({
              ...{ id: kind, name: title, count: catalog[kind].length },
              content: (
                <DataTable
                  label={title}
                  columns={toColumns(kind, { onShow: setShown, isCallable: isOwn })}
                  rows={catalog[kind]}
                  rowKey={({ name: item }) => item}
                  rowHeight={48}
                  empty={<Empty title="None" />}
                />
              ),
            }))}
        />
      )}
      {catalog && catalog.omitted > 0 && (
        <p className="muted small">{formatCount(catalog.omitted)} items are not listed.</p>
      )}
      {shown && (
        <Dialog title={shown.name} isOpen onClose={() => setShown(undefined)}>
          <JsonView label={`Definition of ${shown.name}`} value={shown.definition} />
        </Dialog>
      )}
    </section>
  );
}

interface ColumnOptions {
  onShow(item: CatalogItem): void;
  /** Whether the playground can call items. It cannot call templates in any case. */
  isCallable: boolean;
}

function toColumns(kind: Kind, { onShow, isCallable }: ColumnOptions): Column<CatalogItem>[] {
  return [
    {
      ...{ id: "name", header: "Name", sortBy: ({ name }) => name },
      cell: (item) => (
        <div className="stack">
          <button type="button" className="link strong wrap" onClick={() => onShow(item)}>
            {item.name}
          </button>
          <span className="muted small clamp">{descriptionOf(item)}</span>
        </div>
      ),
    },
    {
      ...{ id: "tokens", header: "Tokens", align: "end", sortBy: ({ tokens }) => tokens },
      cell: ({ tokens }) => formatCount(tokens),
    },
    {
      ...{ id: "bytes", header: "Size", align: "end", priority: 2, sortBy: ({ bytes }) => bytes },
      cell: ({ bytes }) => formatBytes(bytes),
    },
    {
      ...{ id: "try", header: "Offered", priority: 2, size: "wide" },
      cell: ({ publicName }) => <Offered kind={kind} publicName={publicName} isCallable={isCallable} />,
    },
  ];
}

interface OfferedProps {
  kind: Kind;
  publicName: string | undefined;
  isCallable: boolean;
}

function Offered({ kind, publicName, isCallable }: OfferedProps) {
  if (publicName === undefined) return <span className="muted">not at the merged endpoint</span>;
  if (!isCallable || kind === "templates") return <span className="mono wrap">{publicName}</span>;
  return (
    <Link to="/playground" search={{ kind, item: publicName }} className="wrap">
      {publicName}
    </Link>
  );
}

function descriptionOf({ definition }: CatalogItem): string {
  const { description, title } = definition as { description?: string; title?: string };
  return description ?? title ?? "";
}
