// Which peers can open a direct connection, and what those cost that cannot.
import { once } from "node:events";
import { connect as connectPlain, createServer, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { createKeyRing } from "@lethe/server/stores";
import { afterEach, expect, test, vi } from "vitest";
import { dialLink } from "./dial-link.ts";
import { createLinkKeys } from "./link-keys.ts";
import { listenForLinks } from "./link-listener.ts";
import { tlsSettings } from "./tls-settings.ts";

const [keyA, keyB] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64url"));
/** Self-signed, valid until 2126. */
const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNew9alOAju0AC8kq
xQxEPVW+o+n2ra/acx4FPYz5vZOhRANCAAST0KEx1cFXbDVDPJnKNN3s6HhiA0N6
0bmjW41j05XNzSHlSQ9gGORcKHzcKQP35DZ+cZVuBdAM7pgHAAO0d0al
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIUAjcR78X3aHatUJ5ADlUVakPncsgwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIaW1wb3N0b3IwIBcNMjYxMTI2MTEwMzA5WhgPMjEyNjExMDIx
MTAzMDlaMBMxETAPBgNVBAMMCGltcG9zdG9yMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEk9ChMdXBV2w1QzyZyjTd7Oh4YgNDetG5o1uNY9OVzc0h5UkPYBjkXCh8
3CkD9+Q2fnGVbgXQDO6YBwADtHdGpaNTMFEwHQYDVR0OBBYEFHlv7fPV/n6Exd8j
yRnE5802eo/IMB8GA1UdIwQYMBaAFHlv7fPV/n6Exd8jyRnE5802eo/IMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAOU3SemU6BNUePsb6zbN8mAk
fGzKG+LDJXsoXA7a9KirAiBuSYMdOhB3Zn6N9/df0rTBgZTmV3o80ucBi9S47l2R
Xw==
-----END CERTIFICATE-----`,
};
const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

async function listen({ ring = `a:${keyA}`, self = "one", handshakeMs = 5_000 } = {}) {
  const connected: [from: string, socket: TLSSocket][] = [];
  const refused: string[] = [];
  const listener = await listenForLinks({
    ...{ host: "127.0.0.1", port: 0, handshakeMs, keys: await createLinkKeys(createKeyRing(ring), self) },
    onConnected: (from, socket) => void connected.push([from, socket.on("error", () => {})]),
    onRefused: (reason) => void refused.push(reason),
  });
  ends.push(
    () => listener.close(),
    () => {
      for (const [, socket] of connected) socket.destroy();
    },
  );
  return { address: `127.0.0.1:${listener.port}`, port: listener.port, connected, refused };
}

async function dial(address: string, { ring = `a:${keyA}`, self = "two", replica = "one" } = {}) {
  const socket = await dialLink(
    { replica, address },
    await createLinkKeys(createKeyRing(ring), self),
    new AbortController().signal,
  );
  ends.push(() => socket.destroy());
  return socket.on("error", () => {});
}

function plain(port: number): Socket {
  const socket = connectPlain(port, "127.0.0.1").on("error", () => {});
  ends.push(() => socket.destroy());
  return socket;
}

test("two replicas with the same keys know each other after the handshake", async () => {
  const { address, connected, refused } = await listen();
  const socket = await dial(address);
  await vi.waitFor(() => expect(connected.map(([from]) => from)).toEqual(["two"]));
  socket.write("hello");
  expect(String((await once(connected[0]?.[1] as TLSSocket, "data"))[0])).toBe("hello");
  expect(socket.getProtocol()).toBe("TLSv1.3");
  expect(refused).toEqual([]);
});

test("a key that is being replaced is accepted while both replicas have it", async () => {
  const { address } = await listen({ ring: `a:${keyA},b:${keyB}` });
  expect((await dial(address, { ring: `b:${keyB},a:${keyA}` })).getProtocol()).toBe("TLSv1.3");
});

test.each([
  ["other keys", { ring: `a:${keyB}` }, "it has other keys: check that LETHE_KEYS is the same"],
  ["the id of another replica at this address", { replica: "three" }, "it looks for another replica"],
  ["the id of this replica itself", { self: "one" }, "it looks for another replica"],
])("a peer with %s is refused, and both sides say why", async (_, peer, reason) => {
  const { address, connected, refused } = await listen();
  await expect(dial(address, peer)).rejects.toThrow("it has other keys, or another replica is at this address");
  await vi.waitFor(() => expect(refused).toEqual([reason]));
  expect(connected).toEqual([]);
});

test("a peer that names a key without having it is refused", async () => {
  const { port, connected, refused } = await listen();
  const { identity } = (await createLinkKeys(createKeyRing(`a:${keyA}`), "two")).present("one");
  const forged = connectTls({
    ...tlsSettings,
    port,
    host: "127.0.0.1",
    pskCallback: () => ({ identity, psk: Buffer.alloc(32) }),
  });
  ends.push(() => forged.destroy());
  await once(forged, "error");
  await vi.waitFor(() => expect(refused).toEqual(["it has another key with the same fingerprint"]));
  expect(connected).toEqual([]);
});

test.each([
  ["", ""],
  [", and where this process accepts any certificate", "0"],
])("a listener that cannot prove its id is refused, also with a certificate%s", async (_, rejectUnauthorized) => {
  if (rejectUnauthorized) vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", rejectUnauthorized);
  ends.push(() => vi.unstubAllEnvs());
  const impostor = createTlsServer({ ...tlsSettings, ...certificate }).listen(0, "127.0.0.1");
  impostor.on("tlsClientError", () => {});
  ends.push(() => impostor.close());
  await once(impostor, "listening");
  const { port } = impostor.address() as { port: number };
  await expect(dial(`127.0.0.1:${port}`)).rejects.toThrow(/certificate|signed/);
});

test("recorded bytes of a handshake and a message are worth nothing later", async () => {
  const { address, port, connected, refused } = await listen();
  const recorded: Buffer[] = [];
  const proxy = createServer((near) => {
    const far = plain(port);
    near.on("data", (bytes: Buffer) => recorded.push(bytes)).on("error", () => {});
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  ends.push(() => proxy.close());
  await once(proxy, "listening");
  const socket = await dial(address.replace(/\d+$/, String((proxy.address() as { port: number }).port)));
  socket.write("message");
  await vi.waitFor(() => expect(connected).toHaveLength(1));
  await once(connected[0]?.[1] as TLSSocket, "data");
  const replay = plain(port);
  replay.write(Buffer.concat(recorded));
  await once(replay.resume(), "close");
  expect(connected).toHaveLength(1);
  expect(refused).toHaveLength(1);
});

test("a peer that says nothing is disconnected when its handshake takes too long", async () => {
  const { port, refused } = await listen({ handshakeMs: 50 });
  await once(plain(port).resume(), "close");
  expect(refused).toEqual(["its handshake took longer than 50 ms"]);
});

test("a replica gets a connection while peers that prove nothing hold all handshakes, and these stay bounded", async () => {
  const { address, port, connected, refused } = await listen({ handshakeMs: 60_000 });
  const open = new Set<Socket>();
  const hold = () => {
    const socket = plain(port).resume();
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    return once(socket, "connect");
  };
  for (let count = 0; count < 64; count += 1) await hold();
  await dial(address);
  await vi.waitFor(() => expect(connected.map(([from]) => from)).toEqual(["two"]));
  for (let count = 0; count < 100; count += 1) await hold();
  await vi.waitFor(() => expect(open.size).toBe(64));
  expect(refused).toContain("there are more than 64 handshakes at a time, and the oldest was ended");
});

test("a peer cannot hold more connections by resetting them and connecting again from the same ports", async () => {
  const { port } = await listen({ handshakeMs: 60_000 });
  const open = new Set<Socket>();
  const hold = async (localPort?: number) => {
    const socket = connectPlain({ port, host: "127.0.0.1", ...(localPort && { localPort }) }).on("error", () => {});
    ends.push(() => socket.destroy());
    open.add(socket);
    socket.resume().on("close", () => open.delete(socket));
    // The system may not give the same port again.
    await once(socket, "connect").catch(() => {});
    return socket;
  };
  const some: Socket[] = [];
  for (let count = 0; count < 32; count += 1) some.push(await hold());
  for (const socket of some) {
    const { localPort } = socket;
    await once(socket.resetAndDestroy(), "close");
    await hold(localPort);
  }
  for (let count = 0; count < 96; count += 1) await hold();
  await vi.waitFor(() => expect(open.size).toBe(64));
});
