// The door of @lethe/client/node: what only Node has. Everything else is in @lethe/client.

export { connect } from "./connect.ts";
export { createNodeSend, type NodeSend, type NodeSendOptions } from "./http-send.ts";
