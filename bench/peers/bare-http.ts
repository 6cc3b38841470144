import { createJsonReply } from "../../src/platform/http/reply.ts";
import { createRouter } from "../../src/platform/http/router.ts";
import { listen } from "../../src/platform/http/server.ts";

// Our HTTP layer alone: server, request, router and reply, as little as the Hono peer does. No log, no metrics, no
// contract.
const router = createRouter([{ method: "GET", path: "/v1/bench/open", value: () => ({ ok: true }) }]);
const socket = await listen("127.0.0.1", 0);
socket.serve({
  repliesWhole: () => true,
  async answer(request) {
    const found = router.find(request.method, request.path);
    return found
      ? createJsonReply(200, found.value(), "req_bench")
      : createJsonReply(404, { error: "route_not_found" }, "req_bench");
  },
});
console.log(`ready at http://127.0.0.1:${socket.port}`);
process.once("SIGTERM", () => process.exit(0));
