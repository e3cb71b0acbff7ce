// Tabs, with the keys that people expect of them.
import { Tabs as BaseTabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface TabItem {
  readonly id: string;
  readonly name: string;
  readonly count?: number | undefined;
  readonly content: ReactNode;
}

interface TabsProps {
  label: string;
  items: readonly TabItem[];
  selected?: string;
  onSelect?: (id: string) => void;
}

export function Tabs({ label, items, selected, onSelect }: TabsProps) {
  const choice = selected === undefined ? { defaultValue: items[0]?.id } : { value: selected };
  return (
    <BaseTabs.Root className="tabs" {...choice} onValueChange={(value) => onSelect?.(String(value))}>
      <BaseTabs.List className="tabs-list" aria-label={label}>
        {items.map(({ id, name, count }) => (
          <BaseTabs.Tab key={id} value={id} className="tab">
            {name}
            {count !== undefined && <span className="badge">{count}</span>}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {items.map(({ id, content }) => (
        <BaseTabs.Panel key={id} value={id} className="tab-panel">
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
