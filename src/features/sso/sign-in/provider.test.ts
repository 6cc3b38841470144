/** Everybody can start a sign-in, so a provider that does not answer must not be asked by each of them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useClock } from "../../../../test/clock.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../../../test/fixtures/openid-provider.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { Browser, postOidc } from "../../../../test/sso.ts";
import type { OidcRow } from "../connectors/index.ts";
import { openEntry, type ProviderCache } from "./provider.ts";

describe("a provider whose metadata cannot be read", () => {
  const server = useServer();
  const at = useClock();
  let provider: OpenIdProvider;
  let acme: Workspace;
  let requests = 0;
  let isDown = true;
  beforeAll(async () => {
    provider = await startOpenIdProvider();
    acme = await createWorkspace(server);
    provider.intercept = ({ url }, response) => {
      if (!url?.startsWith("/.well-known/")) return false;
      if (url === "/.well-known/openid-configuration") requests += 1;
      if (isDown) response.writeHead(503).end();
      return isDown;
    };
  });
  afterAll(() => provider.close());

  const create = async (owner: Workspace["owner"]) =>
    (await postOidc(server, owner, { issuer: provider.issuer, clientId: "x" })).body.connector.id;
  const start = async (id: string, query = "") =>
    (await new Browser().open(server, `/v1/sso/${id}/start${query}`)).status;

  test("is asked once in 30 seconds, unless somebody tests the connector", async () => {
    const id = await create(acme.owner);
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => start(id)));
    expect(replies).toEqual([502, 502, 502, 502, 502]);
    expect(await start(id)).toBe(502);
    expect(requests).toBe(1);
    // Another organization with the same provider has its own entry.
    const other = await createWorkspace(server);
    expect(await start(await create(other.owner))).toBe(502);
    expect(requests).toBe(2);
    isDown = false;
    expect(await start(id)).toBe(502);
    const { startUrl } = (
      await server.call(`/v1/sso/${id}/test`, { method: "POST", headers: acme.owner.auth })
    ).body;
    expect(await start(id, new URL(startUrl).search)).toBe(303);
    expect(requests).toBe(3);
    // What the test has read is used from then on.
    expect(await start(id)).toBe(303);
    expect(requests).toBe(3);
  });

  test("is asked again after 30 seconds, and earlier metadata is used until then", async () => {
    const id = await create(acme.owner);
    isDown = false;
    expect(await start(id)).toBe(303);
    isDown = true;
    const before = requests;
    const later = Date.now() + 11 * 60_000;
    await at(later, async () => expect([await start(id), await start(id)]).toEqual([303, 303]));
    expect(requests).toBe(before + 1);
    await at(later + 31_000, async () => expect(await start(id)).toBe(303));
    expect(requests).toBe(before + 2);
  });
});

test("an organization with many connectors leaves the entries of others in the cache", () => {
  const cache: ProviderCache = new Map();
  const open = (orgId: string, id: string) =>
    openEntry(cache, { orgId, id, settings: { issuer: "https://login.example.com" } } as OidcRow);
  const kept = open("org_a", "sso_a");
  for (let count = 0; count < 1_500; count++) open("org_b", `sso_${count}`);
  expect(open("org_a", "sso_a")).toBe(kept);
  expect(cache.size).toBe(21);
});
