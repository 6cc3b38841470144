import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rooms } from "../../src/app.ts";
import { permissions } from "../../src/features/permissions/index.ts";

const folders = readdirSync(join(import.meta.dirname, "../../src/features"));
/** Folders that add nothing to the API, and why. */
const withoutRoom: Record<string, string> = {
  demo: "is a command that fills a workspace",
  credentials: "finds the owner of every credential that the rooms issue",
  "connection-grants": "is the rule that decides who may use a connection",
  suspension: "is the rule that stops a suspended organization",
  permissions: "is the list of permissions that the rooms share",
};

test("every room of the product is one folder, named like the room", () => {
  const expected = folders.filter((folder) => !(folder in withoutRoom));
  expect(rooms.map(({ name }) => name).sort()).toEqual(expected.sort());
});

test("every permission belongs to exactly one room", () => {
  const owned = rooms.flatMap((room) => room.permissions ?? []);
  expect(owned.toSorted()).toEqual(permissions.toSorted());
});

test("every route belongs to a section of the API reference that a room describes", () => {
  const described = new Set(rooms.flatMap((room) => room.tags ?? []).map(({ name }) => name));
  const missing = rooms.flatMap((room) => room.routes ?? []).filter(({ spec }) => !described.has(spec.tag));
  expect(missing.map(({ spec }) => `${spec.method} ${spec.path}: ${spec.tag}`)).toEqual([]);
});

test("a field of the API reference is described by one room", () => {
  const keys = rooms.flatMap((room) => Object.keys(room.fields ?? {}));
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test("one room decides who administers the instance, and one how many replies are stored", () => {
  expect(rooms.filter((room) => room.isOperator).map(({ name }) => name)).toEqual(["auth"]);
  expect(rooms.filter((room) => room.idempotencyLimits).map(({ name }) => name)).toEqual(["quotas"]);
});

test("credentials of different kinds have different prefixes", () => {
  const prefixes = rooms.flatMap((room) => room.credentials ?? []).map(({ prefix = "" }) => prefix);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});
