import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";

// The framework alone: no log, no metrics, no headers, no contract. The ceiling of what stands on it.
const app = new Hono();
app.get("/v1/bench/open", (c) => c.json({ ok: true }));
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
server.listen(0, "127.0.0.1", () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
