// What a path shows that leads to no page.
import { Link } from "@tanstack/react-router";
import { Failed } from "./parts/page-state.tsx";

export function NotFoundPage() {
  return (
    <Failed title="No such page">
      <p>
        <Link to="/">Go to the start</Link>
      </p>
    </Failed>
  );
}
