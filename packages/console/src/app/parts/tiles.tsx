// The most important figures of a page, side by side.
import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";

export function Tiles({ children }: { children: ReactNode }) {
  return <dl className="tiles">{children}</dl>;
}

interface TileProps {
  label: string;
  value: string;
  note?: string;
  tone?: Tone;
  children?: ReactNode;
}

export function Tile({ label, value, note, tone = "neutral", children }: TileProps) {
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd>
        <span className={`tile-value tone-${tone}`}>{value}</span>
        {note && <span className="tile-note">{note}</span>}
        {children}
      </dd>
    </div>
  );
}
