import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { newId } from "../ids.ts";

export interface Listening {
  port: number;
  /** Stops accepting, lets what is in flight finish until the deadline, then cuts. */
  close(deadlineMs: number): Promise<void>;
}

interface App {
  fetch: Parameters<typeof getRequestListener>[0];
}

/** A socket first, the application once its address is known: the public URL may depend on the port. */
export function listen(host: string, port: number): Promise<{ port: number; serve(app: App): Listening }> {
  let handler: RequestListener = answerStarting;
  const server = createServer(
    {
      headersTimeout: 10_000,
      // The backstop for bodies; a route's own deadline is shorter and answers in shape.
      requestTimeout: 120_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 32 * 1024,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => void handler(request, response),
  );
  server.maxRequestsPerSocket = 0;
  server.on("clientError", answerClientError);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const { port: actual } = server.address() as AddressInfo;
      resolve({
        port: actual,
        serve: (app) => {
          handler = getRequestListener(app.fetch, { overrideGlobalObjects: false });
          return { port: actual, close: (deadlineMs) => close(server, deadlineMs) };
        },
      });
    });
  });
}

const answerStarting: RequestListener = (_request, response) => {
  response.writeHead(503, { "content-type": "application/json; charset=UTF-8", "retry-after": "1" });
  response.end(JSON.stringify({ error: "service_unavailable", message: "Signalbox is starting." }));
};

function close(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Requests that never became one: too slow, too large or not HTTP. Answered in the shape of all the others. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, body] =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? ["408 Request Timeout", { error: "request_timeout", message: "The request did not arrive in time." }]
      : error.code === "HPE_HEADER_OVERFLOW"
        ? [
            "431 Request Header Fields Too Large",
            { error: "headers_too_large", message: "Headers may have 32 KiB." },
          ]
        : [
            "400 Bad Request",
            { error: "invalid_request", details: [{ message: "This is not a valid HTTP request." }] },
          ];
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=UTF-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
      `x-content-type-options: nosniff\r\ncache-control: no-store\r\nx-request-id: ${newId("req")}\r\nconnection: close\r\n\r\n${text}`,
  );
}
