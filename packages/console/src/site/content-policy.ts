// The headers that confine the pages of the console: scripts and styles of its own origin only, and no requests elsewhere.

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * An interface that an MCP server sends (MCP Apps) runs in a frame of its own: `sandbox` gives it an origin that nothing shares, so it
 * reads neither the console nor its keys. It may run its own scripts, and load nothing.
 */
const framePolicy = [
  "sandbox allow-scripts allow-forms",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "media-src data: blob:",
  "font-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** The page that shows an interface of an MCP server. */
const framePath = "frame.html";

export function securityHeaders(path: string): Record<string, string> {
  return {
    "Content-Security-Policy": path === framePath ? framePolicy : pagePolicy,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  };
}
