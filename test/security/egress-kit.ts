import { type ChannelListener, subscribe, unsubscribe } from "node:diagnostics_channel";
import http from "node:http";
import net from "node:net";
import { EgressError } from "@signalbox/discovery/egress";
import { onTestFinished } from "vitest";

const isLoopback = (ip: string) => ip === "::1" || /^127\.\d+\.\d+\.\d+$/.test(ip);

// A fence around these tests: Node announces an attempt before it makes it, and an exception there prevents it.
subscribe("net.client.socket", (message) => {
  const { socket } = message as { socket: net.Socket };
  socket.prependListener("connectionAttempt", (ip: string) => {
    if (!isLoopback(ip)) throw new Error(`A test tried to connect to ${ip}.`);
  });
});

/** Every address that any socket of this process tries to reach while the test runs. */
export function watchSockets(): { attempts: string[] } {
  const attempts: string[] = [];
  const onSocket: ChannelListener = (message) => {
    const { socket } = message as { socket: net.Socket };
    socket.on("connectionAttempt", (ip: string, port: number) => attempts.push(`${ip} ${port}`));
  };
  subscribe("net.client.socket", onSocket);
  onTestFinished(() => void unsubscribe("net.client.socket", onSocket));
  return { attempts };
}

export interface Listening {
  port: number;
  /** TCP connections taken so far. */
  connections: () => number;
  /** Connections that are still open. */
  open: () => number;
}

function listen(server: net.Server, host: string): Promise<Listening> {
  let connections = 0;
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return new Promise((done, fail) => {
    server.on("error", fail);
    server.listen(0, host, () => {
      const { port } = server.address() as net.AddressInfo;
      done({ port, connections: () => connections, open: () => sockets.size });
    });
  });
}

export function serve(handler: http.RequestListener, host = "127.0.0.1"): Promise<Listening> {
  return listen(http.createServer(handler), host);
}

/** A server that speaks bytes, for replies no honest HTTP server would give. */
export function serveRaw(onRequest: (socket: net.Socket) => void, host = "127.0.0.1"): Promise<Listening> {
  return listen(
    net.createServer((socket) => {
      socket.once("data", () => onRequest(socket));
    }),
    host,
  );
}

export function serveTls(server: net.Server, host = "127.0.0.1"): Promise<Listening> {
  return listen(server, host);
}

/** The error a promise ends with; fails the test when it ends well or with anything but an `EgressError`. */
export async function failure(promise: Promise<unknown>): Promise<EgressError> {
  const outcome = await promise.then(
    () => "it succeeded",
    (error: unknown) => error,
  );
  if (outcome instanceof EgressError) return outcome;
  throw new Error(`Expected an EgressError, got: ${outcome}`);
}

export const everyName = (...addresses: string[]) => {
  const list = addresses.map((address) => ({ address, family: net.isIP(address) }));
  return async () => list;
};
