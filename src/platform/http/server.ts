import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { invalidRequest, Refusal, unavailable } from "../errors.ts";
import { newId } from "../ids.ts";
import { rememberPeer } from "./address.ts";
import { maxUnreadMs, NodeExchange } from "./node-exchange.ts";
import { type Answer, createJsonReply } from "./reply.ts";
import { formatHead, keepAliveMs } from "./reply-text.ts";
import { type HttpHeaders, type HttpRequest, parseRequest } from "./request.ts";
import { createWholeConnections, type WholeConnections } from "./whole-connections.ts";

export interface Listening {
  port: number;
  /**
   * Stops accepting connections. Running requests may finish until the deadline, then they are aborted. Open connections
   * take one more request for `drainMs`, and are closed with its reply.
   */
  close(deadlineMs: number, drainMs?: number): Promise<void>;
}

interface App {
  /** Never rejects: errors become replies too. */
  answer(request: HttpRequest): Promise<Answer>;
  /** Returns true when the reply to this request is never a stream. Without it, Node reads all requests. */
  repliesWhole?(request: HttpRequest): boolean;
  /** Ends event streams, which would not end by themselves. */
  closing?(): void;
}

export interface RequestTimeouts {
  /** How long a request's headers may take. */
  headersMs?: number;
  /** How long a whole request may take: the backstop for bodies, whose own deadline is shorter. */
  requestMs?: number;
  /** How long a caller may take no byte of its reply. */
  unreadMs?: number;
}

/** A server that refuses every request with 503 until it has an application. */
interface EarlyServer {
  serve(app: App): Pick<Listening, "close">;
  /** Takes a connection that another process accepted. */
  take(socket: Socket): void;
}

/** A socket first, the application once its address is known: the public URL may depend on the port. */
export function listen(
  host: string,
  port: number,
  timeouts: RequestTimeouts = {},
): Promise<{ port: number; serve(app: App): Listening }> {
  const { server, serve } = createEarlyServer(timeouts);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const { port: actual } = server.address() as AddressInfo;
      resolve({ port: actual, serve: (app) => ({ port: actual, ...serve(app) }) });
    });
  });
}

/** Serves connections that something else accepts and hands over. Without `keepAlive`, each has one request. */
export function createServerWithoutSocket({ keepAlive = true } = {}): EarlyServer {
  const { server, serve } = createEarlyServer({}, keepAlive);
  const open = new Set<Socket>();
  let onEmpty = () => {};
  // The time limits of connections begin with this event. Nothing else listens to it.
  server.emit("listening");
  return {
    take(socket) {
      // The reply may follow after the caller has closed its side.
      socket.allowHalfOpen = true;
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        if (open.size === 0) onEmpty();
      });
      server.emit("connection", socket);
    },
    serve: (app) => {
      const { close } = serve(app);
      return {
        // The server does not know when the last of these connections has ended.
        close: async (deadlineMs, drainMs) => {
          const empty = new Promise<void>((resolve) => {
            onEmpty = resolve;
            if (open.size === 0) resolve();
          });
          await close(deadlineMs, drainMs, empty);
        },
      };
    },
  };
}

function createEarlyServer(
  { headersMs = 10_000, requestMs = 120_000, unreadMs = maxUnreadMs }: RequestTimeouts,
  keepAlive = true,
) {
  let isDraining = !keepAlive;
  let handler: RequestListener = refusing(unavailable("Signalbox is starting.", 1));
  const receive: RequestListener = (request, response) => {
    // No other protocol is offered. The parser stops after an upgrade request and would never answer the next one, so
    // the reply closes the connection.
    if (request.headers.upgrade !== undefined || isDraining) response.shouldKeepAlive = false;
    handler(request, response);
  };
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: 32 * 1024,
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      // Checked below, so that the refusal has the usual form.
      requireHostHeader: false,
      // Repeated headers are joined, so that a header that must be single is invalid. Node would use the first one.
      joinDuplicateHeaders: true,
    },
    receive,
  );
  const takeByNode = server.listeners("connection")[0]!;
  let take = (_request: HttpRequest) => false;
  const connections = createWholeConnections({
    take: (request) => take(request),
    handOver: (socket) => takeByNode.call(server, socket),
    refuseSilence: (socket) => writeRefusal(socket, tooSlow),
    silenceMs: headersMs,
    unreadMs,
    isDraining: () => isDraining,
  });
  server.removeAllListeners("connection").on("connection", (socket) => {
    // A closed connection no longer has an address, but requests that it sent can still arrive.
    rememberPeer(socket);
    connections.accept(socket);
  });
  server.maxRequestsPerSocket = 0;
  // `100 Continue` is sent when the body is read, so that a refusal comes before the body.
  server.on("checkContinue", receive);
  server.on("checkExpectation", refusing(cannotExpect));
  server.on("connect", (_request, socket) => refuseTunnel(socket));
  server.on("clientError", answerClientError);
  const serve = (app: App) => {
    handler = answering(app, unreadMs);
    take = (request) => {
      const isWhole = app.repliesWhole?.(request) ?? false;
      if (isWhole) answer(app, request);
      return isWhole;
    };
    return {
      close: (deadlineMs: number, drainMs = 0, closed?: Promise<void>) => {
        isDraining = true;
        app.closing?.();
        return close({ server, connections }, deadlineMs, drainMs, closed);
      },
    };
  };
  return { server, serve };
}

/** A request with an invalid target or host is refused before the application sees it. */
const answering =
  (app: App, unreadMs: number): RequestListener =>
  (incoming, outgoing) => {
    const { method, url } = incoming;
    // Only `set-cookie` is not a string, and requests do not have it.
    const headers = incoming.headers as HttpHeaders;
    const exchange = new NodeExchange(incoming, outgoing, unreadMs);
    const request = parseRequest({ method: method!, target: url!, headers }, exchange);
    if (request) answer(app, request);
    else exchange.send(refuse(notHttp));
  };

function answer(app: App, request: HttpRequest): void {
  const { exchange } = request;
  app
    .answer(request)
    .then((answer) => exchange.send(answer))
    .catch((error: Error) => {
      // An unknown fault of the server must not end the process, but must be logged.
      process.emitWarning(error);
      exchange.socket.destroy();
    });
}

const refusing = (refusal: Refusal) => (incoming: IncomingMessage, outgoing: ServerResponse) =>
  new NodeExchange(incoming, outgoing).send(refuse(refusal));

const notHttp = invalidRequest([{ message: "This is not a valid HTTP request." }]);
const cannotExpect = new Refusal(417, {
  error: "expectation_failed",
  message: "The only supported expectation is 100-continue.",
});
const notOffered = new Refusal(501, { error: "not_implemented", message: "CONNECT is not offered here." });
const tooSlow = new Refusal(408, {
  error: "request_timeout",
  message: "The request did not arrive in time.",
});
const headersTooLarge = new Refusal(431, {
  error: "headers_too_large",
  message: "Headers may have 32 KiB.",
});

const refuse = ({ status, body, headers }: Refusal) => createJsonReply(status, body, newId("req"), headers);

async function close(
  { server, connections }: { server: Server; connections: WholeConnections },
  deadlineMs: number,
  drainMs: number,
  closed?: Promise<void>,
) {
  const cut = setTimeout(() => {
    server.closeAllConnections();
    connections.closeAll();
  }, drainMs + deadlineMs);
  let sweep: NodeJS.Timeout | undefined;
  // A connection that is kept alive is idle only once its last reply is out, so it is looked at again.
  const startSweep = () => {
    sweep = setInterval(() => {
      server.closeIdleConnections();
      connections.closeIdle();
    }, 50);
  };
  const drained = setTimeout(startSweep, drainMs);
  if (closed) await closed;
  else await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(cut);
  clearTimeout(drained);
  clearInterval(sweep);
}

/** Refuses CONNECT, after the replies to the requests before it. */
function refuseTunnel(socket: Duplex) {
  // Node has removed its own listeners, and an error without a listener would end the process.
  socket.on("error", () => {});
  runAfterReplies(socket, () => {
    if (!socket.writable) return socket.destroy();
    writeRefusal(socket, notOffered);
    // The server no longer knows this socket: without a reader it would stay open and keep the server from closing.
    socket.resume();
    setTimeout(() => socket.destroy(), 500);
  });
}

/** Calls `then` when the replies to all complete requests on the connection are sent. */
function runAfterReplies(socket: Duplex, then: () => void) {
  const reply = replyUnderWay(socket);
  if (!reply?.req.complete) return then();
  // The next reply takes its place when this one is finished.
  reply.once("finish", () => setImmediate(() => runAfterReplies(socket, then)));
}

/** Node keeps the reply that a socket is waiting for here; there is no other way to know. */
const replyUnderWay = (socket: Duplex) => (socket as Socket & { _httpMessage?: InFlight })._httpMessage;

/** Answers bytes that never became a request: too slow, too large or not HTTP. The body has the usual form. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex) {
  const reply = replyUnderWay(socket);
  if (error.code === "ECONNRESET" || !socket.writable || (reply?.headersSent && !reply.req.complete)) {
    socket.destroy();
  } else if (reply?.req.complete) {
    // The invalid bytes follow a valid request, whose reply must not be this refusal.
    runAfterReplies(socket, () => socket.destroy());
  } else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    writeRefusal(socket, tooSlow);
  } else {
    writeRefusal(socket, error.code === "HPE_HEADER_OVERFLOW" ? headersTooLarge : notHttp);
  }
}

interface InFlight {
  headersSent: boolean;
  req: IncomingMessage;
  once(event: "finish", listener: () => void): void;
}

/** Writes a refusal to a socket that has no reply object. */
function writeRefusal(socket: Duplex, refusal: Refusal) {
  const text = JSON.stringify(refusal.body);
  socket.end(formatHead(refuse(refusal), Buffer.byteLength(text), true) + text);
}
