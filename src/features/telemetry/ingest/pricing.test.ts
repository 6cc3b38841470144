import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { createProvider } from "../../../../test/llm-providers.ts";

const server = useServer();

const million = { "gen_ai.usage.input_tokens": 1_000_000, "gen_ai.usage.output_tokens": 0 };

test("models on an organization's own server have no price, unless somebody set one for that server", async () => {
  const { owner } = await createWorkspace(server);
  const own = await createProvider(server, owner.auth, {
    kind: "vllm",
    name: "House",
    baseUrl: "https://llm.example.com/v1",
  });
  const report = async (provider: string | undefined, model = "gpt-4o") => {
    const id = `${provider} ${model} ${Math.random()}`;
    const attributes = {
      ...million,
      ...(provider === undefined ? {} : { "gen_ai.provider.name": provider }),
    };
    const event = { id, type: "model_call", at: Date.now(), model, attributes };
    const { status } = await server.call("/v1/telemetry/events", {
      body: { events: [event] },
      headers: owner.auth,
    });
    expect(status).toBe(200);
    const { body } = await server.call("/v1/telemetry/events?limit=100", { headers: owner.auth });
    const { pricing, costMicros } = body.items.find(({ eventId }: { eventId: string }) => eventId === id);
    return [pricing, costMicros];
  };
  const unpriced = ["unpriced", null];
  // By its id, by its kind, by the name that a client library was given, and by a kind in other letters.
  for (const provider of [own.id, "vllm", "Ollama", "house.chat", "openai_compatible"])
    expect([provider, ...(await report(provider))]).toEqual([provider, ...unpriced]);
  expect(await report("openai")).toEqual(["estimated", 2_500_000]);
  expect(await report(undefined)).toEqual(["estimated", 2_500_000]);
  // A framework is not a provider.
  expect(await report("Langchain")).toEqual(["estimated", 2_500_000]);

  const price = {
    provider: own.id,
    model: "gpt-4o",
    validFrom: Date.UTC(2026, 0, 1),
    rates: { input: 7_000, output: 7_000 },
  };
  expect(
    (await server.call("/v1/llm-prices", { method: "PUT", body: price, headers: owner.auth })).status,
  ).toBe(200);
  expect(await report(own.id)).toEqual(["estimated", 7_000]);
  expect(await report("vllm")).toEqual(unpriced);
});
