// The entry point of the pages.
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/index.css";
import { ConsoleRoot } from "./console-root.tsx";
import { applyTheme } from "./parts/theme.ts";
import { router } from "./router.tsx";

applyTheme();
const host = document.getElementById("root");
if (host) {
  createRoot(host).render(
    <StrictMode>
      <ConsoleRoot>
        <RouterProvider router={router} />
      </ConsoleRoot>
    </StrictMode>,
  );
}
