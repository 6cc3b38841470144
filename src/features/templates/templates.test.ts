import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../test/harness.ts";

const server = useServer();
let acme: Workspace;
let globex: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
  globex = await createWorkspace(server, "Globex");
});

const call = (path: string, body?: unknown, method?: string) =>
  server.call(`/v1/templates${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(method ? { method } : {}),
    headers: acme.owner.auth,
  });
const make = async (more: Record<string, unknown> = {}) => {
  const reply = await call("", { name: "Review", body: "Look closely.", ...more });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.template;
};

describe("a template made by hand", () => {
  test("is read back as it was sent, at version 1", async () => {
    const sent = {
      name: "Code review",
      slug: "team/code-review",
      description: "Looks at a change.",
      tags: ["review", "quality", "review"],
      body: "# Review\n\nBe kind. 🙂\n",
      metadata: { model: "large", nested: { a: [1, null, true] } },
    };
    const made = await make(sent);
    expect(made).toMatchObject({ ...sent, tags: ["review", "quality"], version: 1, source: null });
    expect((await call(`/${made.id}`)).body).toEqual({ template: made });
  });

  test("gets its slug from its name, and a slug is unique in an organization", async () => {
    expect((await make({ name: "Größe & Mäßigung" })).slug).toBe("gro-e-ma-igung");
    await make({ name: "Only One" });
    const second = await call("", { name: "Only one!", body: "x" });
    expect(second).toMatchObject({ status: 409, body: { error: "template_slug_taken" } });
    const elsewhere = await server.call("/v1/templates", {
      body: { name: "Only one", body: "x" },
      headers: globex.owner.auth,
    });
    expect(elsewhere.status).toBe(201);
    expect(await call("", { name: "漢字", body: "x" })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["slug"] }] },
    });
  });

  test("gets a unique slug, even with requests at the same moment", async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => call("", { name: "Race", slug: "race", body: "x" })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  test("gets a version for each change that has an effect, and keeps every version", async () => {
    const made = await make({ slug: "versions", metadata: { b: 1, a: 2 } });
    const second = await call(`/${made.id}`, { body: "Look twice.", tags: ["x"] }, "PATCH");
    expect(second.body.template).toMatchObject({ version: 2, body: "Look twice.", name: "Review" });
    const same = await call(`/${made.id}`, { body: "Look twice.", metadata: { a: 2, b: 1 } }, "PATCH");
    expect(same.body.template.version).toBe(2);
    const versions = (await call(`/${made.id}/versions`)).body.items;
    expect(versions.map((one: { version: number }) => one.version)).toEqual([2, 1]);
    expect((await call(`/${made.id}/versions/1`)).body.version).toMatchObject({
      body: "Look closely.",
      createdBy: made.createdBy,
    });
    expect(await call(`/${made.id}/versions/3`)).toMatchObject({
      status: 404,
      body: { error: "template_version_not_found" },
    });
    const paged = await call(`/${made.id}/versions?limit=1`);
    expect(
      (await call(`/${made.id}/versions?limit=1&cursor=${paged.body.nextCursor}`)).body.items[0].version,
    ).toBe(1);
  });

  test("refuses a change that is based on an older version", async () => {
    const { id } = await make({ slug: "optimist" });
    expect((await call(`/${id}`, { body: "b", version: 1 }, "PATCH")).status).toBe(200);
    expect(await call(`/${id}`, { body: "c", version: 1 }, "PATCH")).toMatchObject({
      status: 409,
      body: { error: "template_version_conflict", version: 2 },
    });
    const race = await Promise.all(
      ["d", "e", "f"].map((body) => call(`/${id}`, { body, version: 2 }, "PATCH")),
    );
    expect(race.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test("is removed with all its versions", async () => {
    const { id } = await make({ slug: "gone" });
    expect((await call(`/${id}`, undefined, "DELETE")).status).toBe(204);
    expect((await call(`/${id}/versions`)).status).toBe(404);
    await make({ slug: "gone" });
  });

  test("has limits, and the error names the exceeded one", async () => {
    const wrong: Record<string, Record<string, unknown>> = {
      name: { name: "x".repeat(121) },
      slug: { slug: "No Capitals" },
      tags: { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) },
      body: { body: "ä".repeat(128 * 1024 + 1) },
      metadata: { metadata: { a: "x".repeat(16 * 1024) } },
    };
    for (const [field, more] of Object.entries(wrong)) {
      const reply = await call("", { name: "Limits", body: "x", ...more });
      expect(reply, field).toMatchObject({ status: 400 });
      expect(reply.body.details[0].path[0]).toBe(field);
    }
    await make({ slug: "just-right", body: "ä".repeat(128 * 1024) });
  });

  test("can be read by members, and written only by members who manage templates", async () => {
    const { id } = await make({ slug: "readable" });
    const { auth: headers } = await joinWorkspace(server, acme, "member");
    expect((await server.call(`/v1/templates/${id}`, { headers })).status).toBe(200);
    const refused = await server.call("/v1/templates", { body: { name: "x", body: "x" }, headers });
    expect(refused).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
  });
});

describe("the list of templates", () => {
  let slugs: (query: string) => Promise<string[]>;
  beforeAll(async () => {
    const there = await createWorkspace(server, "Search");
    const headers = there.owner.auth;
    const some = [
      { name: "Weekly report", slug: "weekly", description: "Numbers of the week", tags: ["report"] },
      { name: "Bug triage", slug: "bug/triage", description: "100% of issues", tags: ["Issues", "report"] },
      { name: "Release notes", slug: "release_notes", description: "", tags: [] },
    ];
    for (const one of some) await server.call("/v1/templates", { body: { ...one, body: "secret" }, headers });
    slugs = async (query) => {
      const { status, body } = await server.call(`/v1/templates${query}`, { headers });
      expect(status).toBe(200);
      for (const item of body.items) expect(item).not.toHaveProperty("body");
      return body.items.map((item: { slug: string }) => item.slug);
    };
  });

  test("is newest first, and is searched by every word, in any field and any case", async () => {
    expect(await slugs("")).toEqual(["release_notes", "bug/triage", "weekly"]);
    expect(await slugs("?q=TRIAGE")).toEqual(["bug/triage"]);
    expect(await slugs("?q=report")).toEqual(["bug/triage", "weekly"]);
    expect(await slugs("?q=week%20numbers")).toEqual(["weekly"]);
    expect(await slugs("?q=issues%20weekly")).toEqual([]);
    expect(await slugs("?q=secret")).toEqual([]);
    // The last of many words counts like the first.
    expect(await slugs(`?q=${"week%20".repeat(12)}numbers`)).toEqual(["weekly"]);
    expect(await slugs(`?q=${"week%20".repeat(12)}issues`)).toEqual([]);
    // Signs of a pattern are letters like any other.
    expect(await slugs("?q=%25")).toEqual(["bug/triage"]);
    expect(await slugs("?q=e_n")).toEqual(["release_notes"]);
  });

  test("is searched with at most 8 words", async () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join("%20");
    expect(await slugs(`?q=${words(8)}`)).toEqual([]);
    const reply = await call(`?q=${words(9)}`);
    expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(reply.body.details).toEqual([
      { path: ["q"], message: "A search takes 8 words at most. Leave some out." },
    ]);
  });

  test("finds a changed template by its new name and tags only", async () => {
    const { id } = await make({ slug: "renamed", name: "Before quokka", tags: ["marsupial"] });
    const found = async (query: string) => (await call(query)).body.items.length;
    expect(await found("?q=quokka")).toBe(1);
    expect(await found("?tag=marsupial")).toBe(1);
    await call(`/${id}`, { name: "After WOMBAT", tags: [] }, "PATCH");
    expect(await found("?q=quokka")).toBe(0);
    expect(await found("?tag=marsupial")).toBe(0);
    expect(await found("?q=womb")).toBe(1);
    await call(`/${id}`, undefined, "DELETE");
    expect(await found("?q=womb")).toBe(0);
  });

  test("is filtered by tag and slug, and paged", async () => {
    expect(await slugs("?tag=report")).toEqual(["bug/triage", "weekly"]);
    expect(await slugs("?tag=report&q=bug")).toEqual(["bug/triage"]);
    expect(await slugs("?slug=weekly")).toEqual(["weekly"]);
    expect(await slugs("?connectorId=none")).toEqual([]);
    expect(await slugs("?limit=2")).toHaveLength(2);
  });
});
