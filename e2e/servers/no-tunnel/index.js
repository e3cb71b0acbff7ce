// Stands in for the tunnel package that mcp-proxy imports: that one needs Node 22, and no test opens a tunnel.
export function pipenet() {
  throw new Error("the tests open no tunnel");
}
