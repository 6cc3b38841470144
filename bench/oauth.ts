import { approve, startAuthorizationServer } from "../test/fixtures/authorization-server.ts";
import { measureRequests } from "./load.ts";
import {
  type Bench,
  type BenchOptions,
  compare,
  createCaller,
  type EngineKind,
  type Figure,
  interleave,
  listEngines,
  splitTurns,
  startChild,
  summarize,
  withInstance,
} from "./measure.ts";
import { memberPath } from "./probes.ts";

const id = "bench-id";

const promises = {
  postgres: { start: { atLeast: 0.3 }, token: { atLeast: 0.5 } },
  pglite: { start: undefined, token: { atLeast: 0.15 } },
};

/** What it costs to begin connecting an account, and to get a token that is still good. */
export const oauth: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await listEngines(options)) figures.push(...(await requests(engine, options)));
  return figures;
};

/** Beside the same caller asking for nothing at all. */
async function requests(engine: EngineKind, options: BenchOptions): Promise<Figure[]> {
  const { rounds, seconds, logProgress } = splitTurns(options);
  logProgress(`connecting and tokens on ${engine}`);
  return withInstance(engine, async (place) => {
    const product = await startChild("bench/product.ts", place);
    const server = await startAuthorizationServer({
      redirectUris: [`${product.url}/v1/oauth-providers/${id}/connect/callback`],
    });
    try {
      const { token, keys } = await createCaller(product.url);
      await connect(product.url, server.issuer, token);
      const headers = { "x-api-key": keys[0]! };
      const turns = await interleave(rounds, {
        nothing: () => measureRequests({ child: product, path: memberPath, seconds, headers }),
        start: () =>
          measureRequests({
            child: product,
            path: `/v1/oauth-providers/${id}/connect/start`,
            seconds,
            headers,
          }),
        token: () =>
          measureRequests({
            child: product,
            path: `/v1/oauth-providers/${id}/token`,
            method: "POST",
            seconds,
            headers,
          }),
      });
      const named = (name: string) => `${engine}: ${name}`;
      return [
        ...summarize(named("authenticated no-op"), turns.nothing),
        ...summarize(named("start connecting"), turns.start),
        ...summarize(named("token that is fresh"), turns.token),
        ...compare(named("start beside the no-op"), turns.start, turns.nothing, promises[engine].start),
        ...compare(named("token beside the no-op"), turns.token, turns.nothing, promises[engine].token),
      ];
    } finally {
      await product.stop();
      await server.close();
    }
  });
}

/** As a person does it, once. */
async function connect(url: string, issuer: string, token: string): Promise<void> {
  const auth = { authorization: `Bearer ${token}` };
  const call = async (path: string, method: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...auth, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Record<string, string>>;
  };
  const scopes = ["openid", "files:read"];
  await call("/v1/oauth-providers", "POST", { id, name: "Bench", issuer, scopes });
  await call(`/v1/oauth-providers/${id}/client`, "PUT", {
    clientId: "public",
    tokenEndpointAuthMethod: "none",
  });
  const { authorizeUrl } = await call(`/v1/oauth-providers/${id}/connect/start`, "GET");
  const back = await approve(authorizeUrl!);
  const page = await fetch(back, { headers: { cookie: `signalbox_session=${token}` } });
  if (!page.ok) throw new Error(`not connected: ${await page.text()}`);
}
