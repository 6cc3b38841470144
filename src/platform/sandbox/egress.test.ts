import type { EgressStream } from "@signalbox/discovery/egress";
import { expect, test } from "vitest";
import { createEgressService, credentialPlaceholder } from "./egress.ts";

/** The authorization header that arrives when a task asks for `url` with the placeholder. */
async function authorizationAt(url: string): Promise<string | undefined> {
  let received: string | undefined;
  const egress = {
    async open(_url: string | URL, options: { headers?: Record<string, string> } = {}) {
      received = options.headers?.authorization;
      return {
        url,
        status: 200,
        headers: {},
        redirectedFrom: [],
        chunks: (async function* () {})(),
        close() {},
      } as unknown as EgressStream;
    },
  };
  const credential = { origin: "https://git.example", authorization: "Bearer secret" };
  const [serve] = Object.values(createEgressService(egress, credential));
  const input = { url, options: { headers: { authorization: credentialPlaceholder } } };
  for await (const _ of serve!(input, new AbortController().signal));
  return received;
}

test("the credential of a task goes to its own server", async () => {
  expect(await authorizationAt("https://git.example/acme/repository/info/refs")).toBe("Bearer secret");
});

test.each(["https://evil.example/", "http://git.example/", "https://git.example:8443/"])(
  "the credential of a task does not go to %s",
  async (url) => {
    expect(await authorizationAt(url)).toBeUndefined();
  },
);
