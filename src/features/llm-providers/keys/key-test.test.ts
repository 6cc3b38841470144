import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import {
  createProvider,
  type FakeReply,
  providerKey,
  useFakeProvider,
} from "../../../../test/llm-providers.ts";
import { findLeakedSecrets } from "../../../../test/oauth.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
const fake = useFakeProvider();
/** A second server, to which a redirect points. */
const elsewhere = useFakeProvider();
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server);
});

const create = (body: Record<string, unknown>) =>
  createProvider(server, acme.owner.auth, { baseUrl: fake.url, ...body });
const testKey = (id: string, body?: object) =>
  server.call(`/v1/llm-providers/${id}/test`, { method: "POST", body, headers: acme.owner.auth });

const openAiModels = { object: "list", data: [{ id: "gpt-5" }, { id: "gpt-5-mini" }] };
const secretText = "the provider's own text";

describe("a test of a key", () => {
  test.each<[string, string, FakeReply]>([
    ["valid", "a list of models", { body: openAiModels }],
    ["refused", "401", { status: 401, body: { error: { message: secretText, code: "invalid_api_key" } } }],
    ["refused", "403 without a reason", { status: 403, body: { error: { message: secretText } } }],
    [
      "refused",
      "400 of Gemini",
      { status: 400, body: { error: { details: [{ reason: "API_KEY_INVALID" }] } } },
    ],
    ["quota_exhausted", "402", { status: 402, body: { error: { message: secretText } } }],
    [
      "quota_exhausted",
      "429 without credit",
      { status: 429, body: { error: { code: "insufficient_quota" } } },
    ],
    ["quota_exhausted", "429", { status: 429, body: secretText }],
    ["quota_exhausted", "a key whose limit is used up", { body: { data: { limit_remaining: 0 } } }],
    ["wrong_address", "404", { status: 404, body: secretText }],
    ["wrong_address", "a web page", { body: `<html>${secretText}</html>` }],
    [
      "wrong_address",
      "a region that is not served",
      { status: 403, body: { error: { code: "unsupported_country_region_territory" } } },
    ],
    ["unavailable", "503", { status: 503, body: secretText }],
  ])("is %s after %s", async (verdict, _, reply) => {
    const { id } = await create({ kind: "openai" });
    fake.answer = () => reply;
    const { status, body } = await testKey(id);
    expect(status).toBe(200);
    expect(body.verdict).toBe(verdict);
    expect(JSON.stringify(body)).not.toContain(secretText);
    expect(JSON.stringify(body)).not.toContain(providerKey);
    const keys = await server.call(`/v1/llm-providers/${id}/keys`, { headers: acme.owner.auth });
    expect(keys.body.items[0]).toMatchObject({ lastVerdict: verdict, lastMessage: body.message });
    await server.platform.db.run(sql`delete from rate_limits`);
  });

  test.each([
    ["anthropic", "/v1/models?limit=1000", { "x-api-key": providerKey, "anthropic-version": "2023-06-01" }],
    ["openai", "/models", { authorization: `Bearer ${providerKey}` }],
    ["google", "/v1beta/models?pageSize=1000", { "x-goog-api-key": providerKey }],
    ["azure", "/openai/models?api-version=2024-10-21", { "api-key": providerKey }],
    ["bedrock", "/foundation-models", { authorization: `Bearer ${providerKey}` }],
    ["openrouter", "/key", { authorization: `Bearer ${providerKey}` }],
    ["cohere", "/v1/models?page_size=1000", { authorization: `Bearer ${providerKey}` }],
  ])("of %s asks for what costs nothing", async (kind, path, headers) => {
    const { id } = await create({ kind });
    fake.requests.length = 0;
    fake.answer = () => ({
      body: kind === "openrouter" ? { data: { limit: null } } : { models: [{ name: "models/m" }] },
    });
    expect((await testKey(id)).body.verdict).toBe("valid");
    expect(fake.requests).toMatchObject([{ method: "GET", path, headers }]);
  });

  test("says what the server accepts, also without a key", async () => {
    const { id } = await create({ kind: "vllm", apiKey: undefined });
    fake.answer = () => ({ body: { object: "list", data: [{ id: "our-model" }] } });
    expect((await testKey(id)).body.message).toMatch(/ answers without a key and offers 1 model\.$/);
    expect((await testKey(id, { model: "our-model" })).body.message).toMatch(/ and offers 1 model\.$/);
    fake.answer = () => ({ status: 401, body: {} });
    expect((await testKey(id)).body).toEqual({
      verdict: "refused",
      message: expect.stringMatching(/ asks for a key \(401\)\. Add one\.$/),
    });
    await server.call(`/v1/llm-providers/${id}/keys`, {
      body: { apiKey: providerKey },
      headers: acme.owner.auth,
    });
    expect((await testKey(id)).body.message).toContain("refused the key (401)");
    fake.answer = () => ({ body: openAiModels });
    expect((await testKey(id)).body.message).toMatch(/ accepts the key and offers 2 models\.$/);
  });

  test("tells whether the key may use a model", async () => {
    const { id } = await create({ kind: "openai", models: ["gpt-5*", "o9"] });
    fake.answer = (path) =>
      path.endsWith("/models")
        ? { body: openAiModels }
        : path.endsWith("/models/gpt-5-alias")
          ? { body: { id: "gpt-5" } }
          : { status: 404, body: { error: {} } };
    expect((await testKey(id, { model: "gpt-5" })).body).toMatchObject({
      verdict: "valid",
      models: ["gpt-5", "gpt-5-mini"],
    });
    expect((await testKey(id, { model: "gpt-5-alias" })).body.verdict).toBe("valid");
    expect((await testKey(id, { model: "o9" })).body.verdict).toBe("model_not_allowed");
    expect((await testKey(id)).body).toMatchObject({
      verdict: "model_not_allowed",
      message: expect.stringContaining("o9"),
    });
  });

  test("never sends the key to the target of a redirect", async () => {
    const { id } = await create({ kind: "openai" });
    fake.answer = () => ({ status: 302, headers: { location: `${elsewhere.url}/models` } });
    expect((await testKey(id)).body.verdict).toBe("wrong_address");
    expect(elsewhere.requests).toEqual([]);
  });

  test("reports a server that is not there, and an address that the egress guard forbids", async () => {
    const { id } = await create({
      kind: "openai_compatible",
      baseUrl: "http://127.0.0.1:60998/v1",
      apiKey: undefined,
    });
    expect((await testKey(id)).body.verdict).toBe("wrong_address");
    await server.platform.db.run(
      sql`update llm_providers set base_url = 'https://169.254.169.254/v1' where id = ${id}`,
    );
    expect((await testKey(id)).body.verdict).toBe("blocked_by_egress");
  });

  test("leaves no key in the log or the database", async () => {
    expect(await findLeakedSecrets(server, [providerKey])).toEqual([]);
  });
});
