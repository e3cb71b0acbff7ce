// Runs in a frame with an origin of its own. Receives the page of an MCP server once and becomes it.
addEventListener("message", function receive({ data, source }) {
  if (source !== parent || typeof data?.page !== "string") return;
  removeEventListener("message", receive);
  document.open();
  document.write(data.page);
  document.close();
});
parent.postMessage({ frame: "ready" }, "*");
