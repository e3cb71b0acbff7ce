// `connect` for Node: over node:http, and with programs to start.
import { type Connect, createConnect } from "../connect/create-connect.ts";
import { createNodeSend } from "./http-send.ts";

export const connect: Connect = createConnect({ createSend: createNodeSend });
