import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// The minimum that a server does for open event streams: keep them open and send each a heartbeat every 15 s.
const open = new Set<ServerResponse>();
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("retry: 2000\n\n");
  open.add(response);
  response.on("close", () => open.delete(response));
});
setInterval(() => {
  for (const response of open) response.write(": still here\n\n");
}, 15_000);
server.listen(0, "127.0.0.1", () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
