import { beforeAll, describe, expect, test } from "vitest";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";

const server = useServer();
const create = (person: Person, body: object) =>
  server.call("/v1/organizations", { body, headers: person.auth });
const unique = (name: string) => `${name}-${Math.random().toString(36).slice(2, 8)}`;

describe("making an organization", () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await signUp(server);
  });

  test("makes who made it its owner and acts in it from then on", async () => {
    const { status, body } = await create(ada, { name: " Acme GmbH ", slug: unique("acme") });
    expect(status).toBe(201);
    expect(body.organization).toMatchObject({
      name: "Acme GmbH",
      allowedEmailDomains: [],
      sessionMaxAgeMinutes: null,
      requireSso: false,
    });
    const me = (await server.call("/v1/me", { headers: ada.auth })).body;
    expect(me.activeOrganizationId).toBe(body.organization.id);
    expect(me.organizations).toContainEqual(
      expect.objectContaining({ organizationId: body.organization.id, role: "owner" }),
    );
  });

  test.each([
    ["Müller & Söhne", /^mu-ller-so-hne|^muller-sohne/],
    ["  ---  ", /^organization/],
    ["日本語", /^organization/],
    ["🚀🚀", /^organization/],
    ["ÅÉÎ", /^a-?e-?i/],
    [`${"x".repeat(47)}---y`, /^x{47}$|^x{41}-/],
    ["A".repeat(120), /^a{48}$|^a{41}-/],
    ["../../etc/passwd", /^etc-passwd/],
  ])("a slug made of %j is one", async (name, expected) => {
    for (let i = 0; i < 2; i++) {
      const { status, body } = await create(ada, { name });
      expect(status).toBe(201);
      expect(body.organization.slug).toMatch(expected);
      expect(body.organization.slug).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/);
    }
  });

  test.each(["", "-a", "a-", "A", "a b", "a_b", "ä", "x".repeat(49), "a\n", "a."])(
    "the slug %j is refused",
    async (slug) => {
      expect(await create(ada, { name: "Acme", slug })).toMatchObject({
        status: 400,
        body: { details: [{ path: ["slug"] }] },
      });
    },
  );

  test("a slug that was asked for is taken once, even by five requests at the same moment", async () => {
    const slug = unique("race");
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => create(ada, { name: "Race", slug })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)!.body.error).toBe("slug_taken");
  });

  test("five of one name at the same moment get five slugs", async () => {
    const name = unique("Same name");
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => create(ada, { name })));
    expect(new Set(replies.map(({ body }) => body.organization.slug)).size).toBe(5);
  });

  test("that was refused leaves nothing behind", async () => {
    const eve = await signUp(server);
    const slug = unique("taken");
    await create(ada, { name: "Taken", slug });
    expect((await create(eve, { name: "Mine", slug })).status).toBe(409);
    const { body } = await server.call("/v1/organizations", { headers: eve.auth });
    expect(body).toEqual({ items: [], nextCursor: null });
  });
});

describe("listing organizations", () => {
  test("shows those one belongs to, newest first, and a key only its own", async () => {
    const ada = await signUp(server);
    const first = (await create(ada, { name: "First" })).body.organization.id;
    const key = await createKey(server, ada);
    const second = (await create(ada, { name: "Second" })).body.organization.id;
    await createWorkspace(server, "Somebody else's");
    const ids = async (headers: Record<string, string>, query = "") =>
      (await server.call(`/v1/organizations${query}`, { headers })).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids(ada.auth)).toEqual([second, first]);
    expect(await ids(ada.auth, "?limit=1")).toEqual([second]);
    expect(await ids(key.auth)).toEqual([first]);
  });
});

describe("changing an organization", () => {
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  const change = (body: object, headers: Record<string, string> = acme.owner.auth) =>
    server.call("/v1/organization", { method: "PATCH", body, headers });
  const read = async () =>
    (await server.call("/v1/organization", { headers: acme.owner.auth })).body.organization;

  test("writes what is given and leaves the rest", async () => {
    const before = await read();
    const { status, body } = await change({
      name: "Renamed",
      allowedEmailDomains: ["Example.COM", "sub.example.org"],
      sessionMaxAgeMinutes: 60,
    });
    expect(status).toBe(200);
    expect(body.organization).toMatchObject({
      id: before.id,
      name: "Renamed",
      slug: before.slug,
      allowedEmailDomains: ["example.com", "sub.example.org"],
      sessionMaxAgeMinutes: 60,
      createdAt: before.createdAt,
    });
    expect(await read()).toEqual(body.organization);
    const less = await change({ sessionMaxAgeMinutes: null, allowedEmailDomains: [] });
    expect(less.body.organization).toMatchObject({
      name: "Renamed",
      sessionMaxAgeMinutes: null,
      allowedEmailDomains: [],
    });
    expect((await change({})).body.organization.name).toBe("Renamed");
  });

  test.each([
    { name: null },
    { name: "  " },
    { name: "a\nb" },
    { name: "x".repeat(121) },
    { slug: null },
    { sessionMaxAgeMinutes: 4 },
    { sessionMaxAgeMinutes: 525_601 },
    { sessionMaxAgeMinutes: 5.5 },
    { sessionMaxAgeMinutes: 1e300 },
    { allowedEmailDomains: ["no domain"] },
    { allowedEmailDomains: ["localhost"] },
    { allowedEmailDomains: ["-a.com"] },
    { allowedEmailDomains: [`${"a".repeat(64)}.com`] },
    { allowedEmailDomains: ["a.com\n"] },
    { allowedEmailDomains: Array.from({ length: 101 }, (_, i) => `d${i}.com`) },
    { requireSso: "yes" },
    { provisionalUntil: 1 },
    { id: "org_x" },
  ])("%j is refused", async (body) => {
    const before = await read();
    expect((await change(body)).status).toBe(400);
    expect(await read()).toEqual(before);
  });

  test("a slug that another organization has is refused", async () => {
    const other = await createWorkspace(server);
    const { slug } = (await server.call("/v1/organization", { headers: other.owner.auth })).body.organization;
    expect(await change({ slug })).toMatchObject({ status: 409, body: { error: "slug_taken" } });
    expect((await change({ slug: (await read()).slug })).status).toBe(200);
  });

  test("a member reads and does not change; an admin does", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const admin = await joinWorkspace(server, acme, "admin");
    expect((await server.call("/v1/organization", { headers: member.auth })).status).toBe(200);
    expect((await change({ name: "Mine" }, member.auth)).status).toBe(403);
    expect((await change({ name: "Ours" }, admin.auth)).status).toBe(200);
  });
});
