import { createServer } from "node:http";
import { createNodeMiddleware, Webhooks } from "@octokit/webhooks";

// The middleware that GitHub's own library offers, on Node's own server: it verifies, parses and calls a
// handler that does nothing. It stores nothing. Its log, of what it refuses, is on when it is asked for.
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const webhooks = new Webhooks({ secret: process.env.CODEHOST_WEBHOOK_SECRET!, log: quiet });
webhooks.on("push", () => {});
const middleware = createNodeMiddleware(webhooks, {
  path: "/v1/webhooks/connectors/codehost",
  ...(process.env.PEER_LOG === "on" ? {} : { log: quiet }),
});
const server = createServer((request, response) => void middleware(request, response));
// While the other side has its turn, nobody hangs up.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as { port: number }).port}`);
});
process.once("SIGTERM", () => process.exit(0));
