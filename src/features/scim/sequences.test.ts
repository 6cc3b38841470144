/** Random sequences of requests against a small model of a directory. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createWorkspace, type Reply, useServer } from "../../../test/harness.ts";
import { connectDirectory, type Directory, verifyDomain } from "../../../test/scim.ts";

const server = useServer();

interface ModelUser {
  userName: string;
  title: string | undefined;
  active: boolean;
  version: number;
}
interface ModelGroup {
  displayName: string;
  members: Set<string>;
  version: number;
}

const pick = fc.nat(20);
const name = fc.constantFrom("ada", "Ada", "bob", "cleo", "dan");
const title = fc.constantFrom("T1", "T2", undefined);
const some = fc.array(pick, { maxLength: 3 });
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("createUser" as const), name, title, active: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("replaceUser" as const),
      pick,
      name,
      title,
      active: fc.constantFrom(true, false, undefined),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("patchUser" as const),
      pick,
      title,
      active: fc.boolean(),
      way: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("deleteUser" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("createGroup" as const), name, members: some }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("patchGroup" as const),
      pick,
      op: fc.constantFrom("add", "remove", "replace", "filter"),
      members: some,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("renameGroup" as const), pick, name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("deleteGroup" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("findUser" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("findGroups" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("changeOutdated" as const), pick }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** What the check reads of a resource. */
interface Written {
  id: string;
  userName: string;
  title?: string;
  active: boolean;
  groups?: { value: string }[];
  displayName: string;
  members?: { value: string }[];
  meta: { version: string };
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** The directory as it should be, and the requests that bring the service there. */
class Model {
  readonly users = new Map<string, ModelUser>();
  readonly groups = new Map<string, ModelGroup>();
  readonly #directory: Directory;
  readonly #domain: string;

  constructor(directory: Directory, domain: string) {
    this.#directory = directory;
    this.#domain = domain;
  }

  #userName = (short: string) => `${short}@${this.#domain}`;
  #userAt = (i: number) => [...this.users.keys()][i % Math.max(1, this.users.size)] ?? "scu_unknown";
  #groupAt = (i: number) => [...this.groups.keys()][i % Math.max(1, this.groups.size)] ?? "scg_unknown";
  #usersAt = (list: number[]) => (this.users.size === 0 ? [] : [...new Set(list.map(this.#userAt))]);
  #hasUser = (userName: string, except?: string) =>
    [...this.users].some(([id, user]) => id !== except && same(user.userName, userName));
  #hasGroup = (displayName: string, except?: string) =>
    [...this.groups].some(([id, group]) => id !== except && same(group.displayName, displayName));

  #expectStatus(reply: Reply, status: number, what: Command): void {
    expect({ what, status: reply.status, body: reply.body }).toMatchObject({ what, status });
  }

  async run(what: Command): Promise<void> {
    const { call, patch } = this.#directory;
    switch (what.do) {
      case "createUser": {
        const userName = this.#userName(what.name);
        const body = {
          userName,
          emails: [{ value: userName, primary: true }],
          title: what.title,
          active: what.active,
        };
        const isTaken = this.#hasUser(userName);
        const reply = await call("/Users", { body });
        this.#expectStatus(reply, isTaken ? 409 : 201, what);
        if (!isTaken)
          this.users.set(reply.body.id, { userName, title: what.title, active: what.active, version: 1 });
        return;
      }
      case "replaceUser": {
        const id = this.#userAt(what.pick);
        const user = this.users.get(id);
        const userName = this.#userName(what.name);
        const body = {
          userName,
          emails: [{ value: userName, primary: true }],
          title: what.title,
          active: what.active,
        };
        const reply = await call(`/Users/${id}`, { method: "PUT", body });
        const isTaken = user !== undefined && this.#hasUser(userName, id);
        this.#expectStatus(reply, !user ? 404 : isTaken ? 409 : 200, what);
        if (user && !isTaken) {
          if (user.userName !== userName)
            for (const group of this.groups.values()) if (group.members.has(id)) group.version++;
          this.#setUser(user, { userName, title: what.title, active: what.active ?? user.active });
        }
        return;
      }
      case "patchUser": {
        const id = this.#userAt(what.pick);
        const user = this.users.get(id);
        const text = what.active ? "True" : "False";
        const operations = [
          [
            { op: "Replace", path: "active", value: text },
            what.title === undefined
              ? { op: "Remove", path: "TITLE" }
              : { op: "Add", path: "title", value: what.title },
          ],
          [{ op: "replace", value: { active: what.active, title: what.title ?? null } }],
          [{ op: "add", value: { ACTIVE: text, title: what.title ?? "" } }],
          [
            { op: "replace", path: "title", value: what.title ?? null },
            { op: "add", path: "active", value: what.active },
          ],
        ][what.way]!;
        this.#expectStatus(await patch(`/Users/${id}`, ...operations), user ? 200 : 404, what);
        if (user) this.#setUser(user, { title: what.title, active: what.active });
        return;
      }
      case "deleteUser": {
        const id = this.#userAt(what.pick);
        this.#expectStatus(
          await call(`/Users/${id}`, { method: "DELETE" }),
          this.users.delete(id) ? 204 : 404,
          what,
        );
        for (const group of this.groups.values()) if (group.members.delete(id)) group.version++;
        return;
      }
      case "createGroup": {
        const members = this.#usersAt(what.members);
        const isTaken = this.#hasGroup(what.name);
        const reply = await this.#directory.createGroup(what.name, members);
        this.#expectStatus(reply, isTaken ? 409 : 201, what);
        if (!isTaken)
          this.groups.set(reply.body.id, { displayName: what.name, members: new Set(members), version: 1 });
        return;
      }
      case "patchGroup": {
        const id = this.#groupAt(what.pick);
        const members = this.#usersAt(what.members);
        const value = members.map((one) => ({ value: one, $ref: null }));
        const operations =
          what.op === "filter"
            ? [{ op: "remove", path: `members[value eq "${members[0] ?? "nobody"}"]` }]
            : [{ op: what.op, path: "members", value }];
        const group = this.groups.get(id);
        this.#expectStatus(await patch(`/Groups/${id}`, ...operations), group ? 200 : 404, what);
        if (!group) return;
        const before = new Set(group.members);
        if (what.op === "replace") group.members.clear();
        for (const one of what.op === "filter" ? members.slice(0, 1) : members)
          what.op === "add" || what.op === "replace" ? group.members.add(one) : group.members.delete(one);
        const isChanged =
          before.size !== group.members.size || [...before].some((one) => !group.members.has(one));
        if (isChanged) group.version++;
        return;
      }
      case "renameGroup": {
        const id = this.#groupAt(what.pick);
        const group = this.groups.get(id);
        const isTaken = group !== undefined && this.#hasGroup(what.name, id);
        const reply = await patch(`/Groups/${id}`, { op: "replace", value: { id, displayName: what.name } });
        this.#expectStatus(reply, !group ? 404 : isTaken ? 409 : 200, what);
        if (!group || isTaken || group.displayName === what.name) return;
        group.displayName = what.name;
        group.version++;
        return;
      }
      case "deleteGroup": {
        const id = this.#groupAt(what.pick);
        this.#expectStatus(
          await call(`/Groups/${id}`, { method: "DELETE" }),
          this.groups.delete(id) ? 204 : 404,
          what,
        );
        return;
      }
      case "findUser": {
        const filter = encodeURIComponent(`userName eq "${this.#userName(what.name)}"`);
        const reply = await call(`/Users?filter=${filter}`);
        const found = [...this.users].filter(([, user]) => same(user.userName, this.#userName(what.name)));
        expect(reply.body.Resources.map(({ id }: { id: string }) => id)).toEqual(found.map(([id]) => id));
        return;
      }
      case "findGroups": {
        const id = this.#userAt(what.pick);
        const reply = await call(`/Groups?filter=${encodeURIComponent(`members.value eq "${id}"`)}`);
        const found = [...this.groups].filter(([, { members }]) => members.has(id)).map(([one]) => one);
        expect(reply.body.Resources.map((one: { id: string }) => one.id)).toEqual(found);
        return;
      }
      case "changeOutdated": {
        const id = this.#userAt(what.pick);
        const user = this.users.get(id);
        const headers = { "if-match": `W/"${(user?.version ?? 0) + 1}"` };
        const body = { Operations: [{ op: "replace", path: "title", value: "late" }] };
        this.#expectStatus(
          await call(`/Users/${id}`, { method: "PATCH", body, headers }),
          user ? 412 : 404,
          what,
        );
      }
    }
  }

  #setUser(user: ModelUser, next: Partial<ModelUser>): void {
    const after = { ...user, ...next };
    if (after.userName === user.userName && after.title === user.title && after.active === user.active)
      return;
    Object.assign(user, after, { version: user.version + 1 });
  }

  /** Everything that the service has, in the form of the model. */
  async check(): Promise<void> {
    const users = (await this.#directory.call("/Users?count=500")).body;
    const groups = (await this.#directory.call("/Groups?count=500")).body;
    const values = (list: { value: string }[] | undefined) => (list ?? []).map(({ value }) => value).sort();
    expect(users.totalResults).toBe(this.users.size);
    expect(
      users.Resources.map((one: Written) => [
        one.id,
        {
          userName: one.userName,
          title: one.title,
          active: one.active,
          version: one.meta.version.replace(/-[0-9a-f]+/, "-"),
        },
        values(one.groups),
      ]),
    ).toEqual(
      [...this.users].map(([id, { userName, title, active, version }]) => {
        const own = [...this.groups].filter(([, { members }]) => members.has(id)).map(([one]) => one);
        const tag = `W/"${version}${own.length > 0 ? "-" : ""}"`;
        return [id, { userName, title, active, version: tag }, own.sort()];
      }),
    );
    expect(
      groups.Resources.map((one: Written) => [
        one.id,
        one.displayName,
        values(one.members),
        one.meta.version,
      ]),
    ).toEqual(
      [...this.groups].map(([id, { displayName, members, version }]) => [
        id,
        displayName,
        [...members].sort(),
        `W/"${version}"`,
      ]),
    );
  }
}

test("random requests leave the directory as the model says", { timeout: 120_000 }, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 40 }), async (commands) => {
      const workspace = await createWorkspace(server);
      const domain = `s${++run}-${Date.now()}.example.com`;
      await verifyDomain(server, workspace.orgId, domain);
      const model = new Model(await connectDirectory(server, workspace), domain);
      for (const one of commands) await model.run(one);
      await model.check();
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
