// What the pages of administration show where the server of the page has none.
import { Link } from "@tanstack/react-router";
import { Empty } from "./parts/page-state.tsx";

export function NoAdminPage() {
  return (
    <Empty title="This server has no administration">
      <p>
        This page shows what a gateway records, and the server of this page is an MCP endpoint alone.{" "}
        <Link to="/playground">Call its tools in the playground</Link>
      </p>
    </Empty>
  );
}
