// The configuration: its files, what a reload would change, and the reload.
import { useMutation } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import type { ConfigChange, ConfigChanges, ReloadOutcome } from "../admin/admin-api.ts";
import { useAdmin, useAdminQuery, useOverview } from "../admin/use-admin.ts";
import { Badge } from "../parts/badge.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Fine, Loading } from "../parts/page-state.tsx";

export function ConfigSection() {
  const overview = useOverview();
  const { data: changes, error, refetch, isFetching } = useAdminQuery<ConfigChanges>("/config/changes");
  return (
    <section className="card" aria-labelledby="config-title">
      <div className="row spread">
        <h2 id="config-title">Configuration</h2>
        <button type="button" className="button button-small" disabled={isFetching} onClick={() => void refetch()}>
          <RefreshCw size={14} aria-hidden="true" /> Compare again
        </button>
      </div>
      {overview?.files.map((file) => (
        <p key={file} className="mono small wrap">
          {file}
        </p>
      ))}
      {error && !changes && <p className="banner banner-bad">{error.message}</p>}
      {!changes && !error && <Loading label="Comparing the files with the active configuration" />}
      {changes && <Changes changes={changes} />}
      <ActiveConfig />
    </section>
  );
}

function Changes({ changes }: { changes: ConfigChanges }) {
  const { isValid, problems, notes, changes: list, omitted, upstreams, needsRestart } = changes;
  const affected = Object.entries(upstreams).filter(([, names]) => names.length > 0);
  return (
    <>
      {!isValid && (
        <div className="banner banner-bad" role="alert">
          The files have problems, so a reload would change nothing:
          <ul className="bullets">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
      {notes.map((note) => (
        <p key={note} className="banner banner-warn">
          {note}
        </p>
      ))}
      {isValid && list.length === 0 && <Fine>The files are in force as they are: a reload changes nothing.</Fine>}
      {list.length > 0 && (
        <>
          <p className="row">
            {affected.map(([how, names]) => (
              <Badge key={how} tone={how === "removed" ? "bad" : how === "added" ? "ok" : "warn"}>
                {how}: {names.join(", ")}
              </Badge>
            ))}
          </p>
          <ul className="diff" aria-label="Changes that a reload would apply">
            {list.map((change) => (
              <ChangeRow key={change.path} change={change} />
            ))}
          </ul>
          {omitted > 0 && <p className="muted small">{omitted} more changes</p>}
          {needsRestart.length > 0 && (
            <p className="banner banner-warn">Only a restart applies: {needsRestart.join(", ")}</p>
          )}
        </>
      )}
      {isValid && list.length > 0 && <ReloadButton />}
    </>
  );
}

function ChangeRow({ change: { path, before, after } }: { change: ConfigChange }) {
  return (
    <li>
      <span className="mono strong wrap">{path}</span>
      {before !== undefined && (
        <del>
          <span className="visually-hidden">before </span>
          {JSON.stringify(before)}
        </del>
      )}
      {after !== undefined && (
        <ins>
          <span className="visually-hidden">after </span>
          {JSON.stringify(after)}
        </ins>
      )}
    </li>
  );
}

function ReloadButton() {
  const { client, queries } = useAdmin();
  const reload = useMutation({
    mutationFn: () => client.post<ReloadOutcome>("/config/reload"),
    onSettled: () => queries.invalidateQueries({ queryKey: ["admin"] }),
  });
  return (
    <div className="stack">
      <button
        type="button"
        className="button button-primary"
        disabled={reload.isPending}
        onClick={() => reload.mutate()}
      >
        Reload
      </button>
      <p role="status" className="small">
        {reload.data && describeOutcome(reload.data)}
        {reload.error?.message}
      </p>
    </div>
  );
}

function describeOutcome({ isApplied, problems, replacing }: ReloadOutcome): string {
  if (!isApplied) return `Nothing changed: ${problems.join("; ")}`;
  if (!replacing) return "The changes are in force.";
  return `The workers are replaced one by one to apply ${replacing.join(", ")}. The log says when all are replaced, or why not.`;
}

function ActiveConfig() {
  const [isOpen, setIsOpen] = useState(false);
  const { data } = useAdminQuery<unknown>("/config", undefined, isOpen);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="summary">Active configuration, secrets masked</summary>
      {data !== undefined && <JsonView label="Active configuration" value={data} />}
    </details>
  );
}
