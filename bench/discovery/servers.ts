import { parentPort, workerData } from "node:worker_threads";
import { oauth } from "../../test/fixtures/mcp-hostile/parts.ts";
import { startHostileServer } from "../../test/fixtures/mcp-hostile/server.ts";
import {
  authorizationServer,
  distance,
  modern,
  withSessions,
} from "../../test/fixtures/mcp-servers/official.ts";
import { bearerKey, protectedBy } from "../../test/fixtures/mcp-servers/protected.ts";

/** A server that is a while away. `roundTrips`: those that an answer about it cannot do without. */
export interface Far {
  name: string;
  url: string;
  roundTrips?: number;
}

distance.ms = workerData as number;
const usual = oauth();
const plain = await startHostileServer(async (request, base) => {
  if (request.path === "/silent") return { raw: () => undefined };
  await new Promise((resolve) => setTimeout(resolve, distance.ms));
  return usual(request, base);
});
const certified = await authorizationServer(true);
const far: Far[] = [
  { name: "OAuth, metadata by RFC 8414", url: plain.base, roundTrips: 3 },
  {
    name: "OAuth, a certified OpenID provider",
    url: (await protectedBy(certified.base)).base,
    roundTrips: 3,
  },
  { name: "a bearer key, no metadata", url: (await bearerKey()).base },
  { name: "open, 2026-07-28", url: (await modern("reject")).base },
  { name: "open, sessions of 2025", url: (await withSessions()).base },
];
parentPort?.postMessage(far.map((server) => ({ ...server, url: `${server.url}/mcp` })));
