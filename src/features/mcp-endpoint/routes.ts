import { mountHandler } from "../../platform/http/index.ts";
import { access, limits, mcp, path, tag } from "./contract.ts";

export const routes = mountHandler(
  {
    prefix: path,
    // GET and DELETE belong to sessions, which this endpoint does not keep. The library refuses them with 405.
    methods: ["get", "post", "delete"],
    tag,
    summary: "The endpoint for MCP clients: Streamable HTTP, both eras.",
    access,
    protocol: mcp,
    parsesJson: true,
    bodyLimit: limits.bodyBytes,
    maxEventBytes: limits.eventBytes,
  },
  // The server library is loaded with the first request, so that a start does not pay for it.
  async (ctx, request, body) => (await import("./service.ts")).serve(ctx, request, body),
);
