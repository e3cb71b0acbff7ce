// The endpoints over several upstreams: where clients connect, what each offers, and its access rules.
import { Link } from "@tanstack/react-router";
import type { Endpoint, PolicyRule } from "../admin/admin-api.ts";
import { useEndpoints } from "../admin/use-admin.ts";
import { formatAmount, formatCount } from "../format/numbers.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { useSettings } from "../parts/settings-context.ts";

const maxShownUpstreams = 6;

/** Shown if the configuration names endpoints: the title of the page has the URL of the merged one. */
export function EndpointsSection() {
  const endpoints = useEndpoints() ?? [];
  if (endpoints.length < 2) return null;
  return (
    <section className="card card-flush" aria-labelledby="endpoints-title">
      <div className="card-head">
        <h2 id="endpoints-title">
          Endpoints <span className="muted">{formatCount(endpoints.length)}</span>
        </h2>
      </div>
      <DataTable label="Endpoints" columns={columns} rows={endpoints} rowKey={({ path }) => path} rowHeight={48} />
    </section>
  );
}

const columns: readonly Column<Endpoint>[] = [
  {
    id: "name",
    header: "Name",
    sortBy: ({ name }) => name ?? "",
    cell: (endpoint) => <NameCell endpoint={endpoint} />,
  },
  {
    ...{ id: "upstreams", header: "Upstreams", priority: 2, sortBy: ({ upstreams }) => upstreams.length },
    cell: (endpoint) => <UpstreamsCell endpoint={endpoint} />,
  },
  {
    ...{ id: "tools", header: "Tools", sortBy: ({ tools }) => tools },
    cell: ({ tools, toolFilter: { allow, deny } = {} }) => (
      <div className="stack">
        <span>{formatCount(tools)}</span>
        {allow && <span className="muted small wrap-long">only {allow.join(", ")}</span>}
        {deny && <span className="muted small wrap-long">not {deny.join(", ")}</span>}
      </div>
    ),
  },
  { id: "policy", header: "Policy", priority: 2, cell: (endpoint) => <PolicyCell endpoint={endpoint} /> },
  { id: "copy", header: "Actions", align: "end", cell: ({ url }) => <CopyButton label="URL" text={() => url} /> },
];

function NameCell({ endpoint: { name, url } }: { endpoint: Endpoint }) {
  const { mcp } = useSettings();
  const title = name ?? "all upstreams";
  return (
    <div className="stack">
      {mcp === undefined ? (
        <span className="strong">{title}</span>
      ) : (
        <Link to="/playground" search={name === undefined ? {} : { endpoint: name }} className="strong">
          {title}
        </Link>
      )}
      <span className="muted small mono wrap">{url}</span>
    </div>
  );
}

function UpstreamsCell({ endpoint: { upstreams } }: { endpoint: Endpoint }) {
  const others = upstreams.length - maxShownUpstreams;
  return (
    <span className="wrap">
      {upstreams.slice(0, maxShownUpstreams).map((upstream, index) => (
        <span key={upstream}>
          {index > 0 && ", "}
          <Link to="/upstreams/$name" params={{ name: upstream }}>
            {upstream}
          </Link>
        </span>
      ))}
      {others > 0 && <span className="muted"> and {formatAmount(others, "other")}</span>}
      {upstreams.length === 0 && "–"}
    </span>
  );
}

function PolicyCell({ endpoint: { policy } }: { endpoint: Endpoint }) {
  if (policy === undefined) return <span className="muted">every caller</span>;
  const [first, ...others] = policy;
  if (first === undefined) return <span>no caller</span>;
  return (
    <div className="stack" title={policy.map(toText).join("\n")}>
      <span className="wrap">{toText(first)}</span>
      {others.length > 0 && <span className="muted small">{formatAmount(others.length, "further rule")}</span>}
    </div>
  );
}

function toText({ effect, ...members }: PolicyRule): string {
  const parts = Object.entries(members).map(([name, values = []]) => `${name} ${values.join(", ")}`);
  return [effect, ...parts].join(" · ");
}
