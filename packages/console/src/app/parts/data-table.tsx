// A sortable table that draws only the rows in view.
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { memo, type ReactNode, useMemo, useRef, useState } from "react";

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Makes the column sortable. */
  readonly sortBy?: (row: Row) => string | number;
  readonly align?: "end";
  /** 1 is always shown, 2 from 768 px, 3 from 1200 px. Default 1. */
  readonly priority?: 1 | 2 | 3;
  /** A class of parts.css that gives the width. */
  readonly size?: "narrow" | "wide" | "chart";
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly rowHeight?: number;
  readonly sorting?: SortingState;
  /** Shown instead of rows. */
  readonly empty?: ReactNode;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowHeight = 40, empty } = props;
  const [sorting, setSorting] = useState<SortingState>(props.sorting ?? []);
  // Thousands of rows that are not sorted need no model of each.
  const isSorted = sorting.length > 0;
  const definitions = useMemo(() => toDefinitions(columns), [columns]);
  const table = useTable({
    ...{ features, columns: definitions, data: isSorted ? (rows as Row[]) : noRows, getRowId: rowKey },
    state: { sorting },
    onSortingChange: setSorting,
  });
  const scroller = useRef<HTMLDivElement>(null);
  const sorted = isSorted ? table.getRowModel().rows.map(({ original }) => original) : rows;
  const virtualizer = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 5,
  });
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const byId = new Map(columns.map((column) => [column.id, column]));

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard.
    <section className="table-scroller" ref={scroller} aria-label={label} tabIndex={0}>
      <table className="table" aria-rowcount={sorted.length + 1}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => {
                const column = byId.get(header.column.id) as Column<Row>;
                return (
                  <Header
                    key={header.id}
                    column={column}
                    sorted={header.column.getIsSorted()}
                    onSort={column.sortBy ? () => header.column.toggleSorting() : undefined}
                  />
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} />}
          {items.map(({ index }) => {
            const row = sorted[index];
            if (!row) return null;
            return (
              <tr key={rowKey(row)} aria-rowindex={index + 2}>
                <Cells row={row} columns={columns as readonly Column<object>[]} />
              </tr>
            );
          })}
          {after > 0 && <Spacer height={after} />}
        </tbody>
      </table>
      {rows.length === 0 && empty}
    </section>
  );
}

const noRows: never[] = [];

/** Drawn again only if the row has changed, and not if others moved it. */
const Cells = memo(function Cells({ row, columns }: { row: object; columns: readonly Column<object>[] }) {
  return columns.map((column) => (
    <td key={column.id} className={classOf(column)}>
      {column.cell(row)}
    </td>
  ));
});

function toDefinitions<Row extends object>(columns: readonly Column<Row>[]) {
  const helper = createColumnHelper<typeof features, Row>();
  return helper.columns(
    columns.map(({ id, header, sortBy }) =>
      helper.accessor((row: Row) => sortBy?.(row) ?? "", {
        ...{ id, header, enableSorting: sortBy !== undefined, sortFn: "alphanumeric" as const },
      }),
    ),
  );
}

interface HeaderProps<Row> {
  column: Column<Row>;
  sorted: false | "asc" | "desc";
  onSort: (() => void) | undefined;
}

function Header<Row>({ column, sorted, onSort }: HeaderProps<Row>) {
  const direction = sorted === "asc" ? "ascending" : "descending";
  return (
    <th scope="col" className={classOf(column)} {...(sorted !== false && { "aria-sort": direction })}>
      {onSort ? (
        <button type="button" className="sort" onClick={onSort}>
          {column.header}
          {sorted === "asc" && <ArrowUp size={12} aria-hidden="true" />}
          {sorted === "desc" && <ArrowDown size={12} aria-hidden="true" />}
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}

function Spacer({ height }: { height: number }) {
  return (
    <tr className="spacer">
      <td style={{ height }} />
    </tr>
  );
}

function classOf<Row>({ id, align, priority = 1, size }: Column<Row>): string {
  return [`p${priority}`, `col-${id}`, align === "end" ? "end" : "", size ? `size-${size}` : ""]
    .filter(Boolean)
    .join(" ");
}
