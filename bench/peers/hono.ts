import { serve } from "@hono/node-server";
import { Hono } from "hono";

// The framework alone, as its own guide starts it: no log, no metrics, no contract. What we stand on.
const app = new Hono();
app.get("/v1/bench/open", (c) => c.json({ ok: true }));
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  console.log(`ready at http://127.0.0.1:${port}`);
});
process.once("SIGTERM", () => process.exit(0));
