import { parentPort, workerData } from "node:worker_threads";
import { oauth } from "../../test/fixtures/mcp-hostile/parts.ts";
import { startHostileServer } from "../../test/fixtures/mcp-hostile/server.ts";
import {
  responseDelay,
  startModernServer,
  startOidcServer,
  startSessionServer,
} from "../../test/fixtures/mcp-servers/official.ts";
import { startBearerKeyServer, startProtectedServer } from "../../test/fixtures/mcp-servers/protected.ts";

/** A server with a delayed reply. `roundTrips`: the least number that discovery needs. */
export interface RemoteServer {
  name: string;
  url: string;
  roundTrips?: number;
}

responseDelay.ms = workerData as number;
const usual = oauth();
const plain = await startHostileServer(async (request, base) => {
  if (request.path === "/silent") return { raw: () => undefined };
  await new Promise((resolve) => setTimeout(resolve, responseDelay.ms));
  return usual(request, base);
});
const certified = await startOidcServer(true);
const remoteServers: RemoteServer[] = [
  { name: "OAuth, metadata by RFC 8414", url: plain.base, roundTrips: 3 },
  {
    name: "OAuth, a certified OpenID provider",
    url: (await startProtectedServer(certified.base)).base,
    roundTrips: 3,
  },
  { name: "a bearer key, no metadata", url: (await startBearerKeyServer()).base },
  { name: "open, 2026-07-28", url: (await startModernServer("reject")).base },
  { name: "open, sessions of 2025", url: (await startSessionServer()).base },
];
parentPort?.postMessage(remoteServers.map((server) => ({ ...server, url: `${server.url}/mcp` })));
