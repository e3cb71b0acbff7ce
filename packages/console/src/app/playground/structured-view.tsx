// Structured data: lists of objects as a table, an object as labelled values, everything else as JSON.
import { useMemo } from "react";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { JsonView } from "../parts/json-view.tsx";

type Row = Readonly<Record<string, unknown>>;

const maxColumns = 12;

export function StructuredView({ value }: { value: unknown }) {
  if (isRows(value)) return <RowsTable rows={value} />;
  if (isPlainObject(value) && Object.values(value).some((member) => !isScalar(member)))
    return <Members value={value} />;
  if (isPlainObject(value)) return <Scalars value={value} />;
  return <JsonView label="Structured data" value={value} />;
}

function Scalars({ value }: { value: Row }) {
  return (
    <Facts>
      {Object.entries(value).map(([name, member]) => (
        <Fact key={name} label={name}>
          {toText(member)}
        </Fact>
      ))}
    </Facts>
  );
}

/** An object whose members are lists: each list is a table of its own. */
function Members({ value }: { value: Row }) {
  const entries = Object.entries(value);
  const lists = entries.filter(([, member]) => isRows(member));
  if (lists.length === 0) return <JsonView label="Structured data" value={value} />;
  const others = Object.fromEntries(entries.filter(([, member]) => !isRows(member)));
  return (
    <>
      {lists.map(([name, member]) => (
        <div key={name} className="stack">
          <h3>{name}</h3>
          <RowsTable rows={member as Row[]} />
        </div>
      ))}
      {Object.keys(others).length > 0 && <StructuredView value={others} />}
    </>
  );
}

function RowsTable({ rows }: { rows: readonly Row[] }) {
  const keyed = useMemo(() => rows.map((row, index) => ({ key: String(index), row })), [rows]);
  const columns = useMemo(() => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
    return names.map(
      (name): Column<{ key: string; row: Row }> => ({
        ...{ id: name, header: name, cell: ({ row }) => <Cell text={toText(row[name])} /> },
        sortBy: ({ row }) => (typeof row[name] === "number" ? row[name] : toText(row[name])),
        ...(rows.every((row) => typeof row[name] === "number") && { align: "end" as const }),
      }),
    );
  }, [rows]);
  return (
    <div className="inset-table">
      <DataTable label="Structured data" columns={columns} rows={keyed} rowKey={({ key }) => key} rowHeight={33} />
    </div>
  );
}

function Cell({ text }: { text: string }) {
  return <span className={text.length > 8 ? "wrap-long" : undefined}>{text}</span>;
}

function isRows(value: unknown): value is Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPlainObject);
}

function isPlainObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function toText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
