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

test("credentials of different kinds begin differently", () => {
  const prefixes = rooms.flatMap((room) => room.credentials ?? []).map(({ prefix = "" }) => prefix);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});
