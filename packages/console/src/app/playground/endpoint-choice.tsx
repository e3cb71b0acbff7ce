// Chooses the endpoint of the playground: the merged one, or a named one. Absent without an administration interface that lists them.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useContext } from "react";
import { AdminContext, useEndpoints } from "../admin/use-admin.ts";

export function EndpointChoice() {
  return useContext(AdminContext) ? <Choice /> : null;
}

function Choice() {
  const { endpoint = "" } = useSearch({ from: "/playground" });
  const navigate = useNavigate();
  const named = (useEndpoints() ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (named.length === 0) return null;
  return (
    <label className="inline">
      <span className="muted small">Endpoint</span>
      <select
        value={endpoint}
        onChange={({ target: { value } }) =>
          void navigate({ to: "/playground", search: value === "" ? {} : { endpoint: value } })
        }
      >
        <option value="">all upstreams</option>
        {named.map((name) => (
          <option key={name}>{name}</option>
        ))}
        {endpoint !== "" && !named.includes(endpoint) && <option>{endpoint}</option>}
      </select>
    </label>
  );
}
