// A JSON value to read. The editor that shows it is loaded when it is first needed.
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense } from "react";

const JsonEditor = lazyRouteComponent(() => import("./json-editor.tsx"), "JsonEditor");

export function JsonView({ label, value }: { label: string; value: unknown }) {
  return <LazyJsonEditor label={label} text={JSON.stringify(value, null, 2) ?? "undefined"} />;
}

export function LazyJsonEditor(props: { label: string; text: string; onChange?: (text: string) => void }) {
  return (
    <Suspense
      fallback={
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard.
        <pre className="log" tabIndex={0}>
          {props.text}
        </pre>
      }
    >
      <JsonEditor {...props} />
    </Suspense>
  );
}
