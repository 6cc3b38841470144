import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as rules from "./house-rules.ts";

const root = join(import.meta.dirname, "../..");
/** As long as the API description makes it. */
const generated = "packages/client/src/api.ts";
const sources: rules.Sources = new Map(
  ["src", ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/src`)]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map(
        (file) => `${folder}/${String(file).replaceAll("\\", "/")}`,
      ),
    )
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== generated)
    .map((file) => [file, readFileSync(join(root, file), "utf8")]),
);

const { migrationsAreNumbered, ...sourceRules } = rules;

describe("the house", () => {
  test("has rooms and a platform to look at", () => {
    expect([...sources.keys()]).toEqual(
      expect.arrayContaining(["src/app.ts", "src/features/members/store.ts", "src/platform/db/db.ts"]),
    );
  });

  test.each(Object.entries(sourceRules))("%s", (_, rule) => {
    expect(rule(sources)).toEqual([]);
  });

  test("migrationsAreNumbered", () => {
    expect(migrationsAreNumbered(readdirSync(join(root, "migrations")))).toEqual([]);
  });

  test("every room has a door", () => {
    for (const room of readdirSync(join(root, "src/features"))) {
      expect([...sources.keys()]).toContain(`src/features/${room}/index.ts`);
    }
  });
});

/** For each rule a house that breaks it, and one that looks alike and does not. */
const examples: Record<
  keyof typeof sourceRules,
  { broken: Record<string, string>[]; whole: Record<string, string> }
> = {
  platformKnowsNoProduct: {
    broken: [
      { "src/platform/mail/index.ts": 'import { a } from "../../features/members/index.ts";' },
      { "src/platform/x.ts": 'export * from "../app.ts";' },
      { "src/platform/x.ts": 'import type {\n  A,\n  B,\n} from "../commands/serve.ts";' },
      { "src/platform/x.ts": 'const a = await import("../features/members/index.ts");' },
    ],
    whole: { "src/platform/x.ts": 'import { a } from "./db/index.ts";\nimport p from "../../package.json";' },
  },
  stairsOnlyGoDown: {
    broken: [
      { "src/features/a/service.ts": 'import { routes } from "../../app.ts";' },
      { "src/features/a/service.ts": 'import { serve } from "../../commands/serve.ts";' },
    ],
    whole: { "src/features/a/service.ts": 'import { x } from "../../platform/ids.ts";' },
  },
  roomsMeetAtDoors: {
    broken: [
      { "src/features/a/service.ts": 'import * as store from "../b/store.ts";' },
      { "src/features/a/x/service.ts": 'import type { B } from "../../b/contract.ts";' },
      { "src/app.ts": 'import { routes } from "./features/a/routes.ts";' },
    ],
    whole: {
      "src/features/a/service.ts": 'import { b } from "../b/index.ts";\nimport * as store from "./store.ts";',
    },
  },
  doorsFormNoLoop: {
    broken: [
      {
        "src/features/a/service.ts": 'import { b } from "../b/index.ts";',
        "src/features/b/service.ts": 'import { c } from "../c/index.ts";',
        "src/features/c/index.ts": 'export { a } from "../a/index.ts";',
      },
    ],
    whole: {
      "src/features/a/service.ts": 'import { b } from "../b/index.ts";',
      "src/features/c/service.ts": 'import { b } from "../b/index.ts";\nimport { a } from "../a/index.ts";',
    },
  },
  packagesAreImportedByName: {
    broken: [
      { "packages/a/src/x.ts": 'import { a } from "../../../src/features/a/index.ts";' },
      { "packages/a/src/x.ts": 'import type { B } from "../../b/src/index.ts";' },
      { "src/commands/x.ts": 'export { a } from "../../packages/a/src/index.ts";' },
    ],
    whole: {
      "packages/a/src/x.ts": 'import { b } from "@signalbox/b";\nimport { c } from "./c.ts";',
      "src/commands/x.ts": 'import { a } from "@signalbox/a";',
    },
  },
  filesKeepToTheirQuestion: {
    broken: [
      { "src/features/a/contract.ts": 'import { x } from "./store.ts";' },
      { "src/features/a/routes.ts": 'import * as store from "./store.ts";' },
      { "src/features/a/store.ts": 'import { rule } from "./service.ts";' },
    ],
    whole: { "src/features/a/routes.ts": 'import * as service from "./service.ts";' },
  },
  sqlOnlyInStores: {
    broken: [
      { "src/features/a/service.ts": "await db.run(sql`delete from a`);" },
      { "src/platform/bus.ts": 'await db.foreign("select 1");' },
    ],
    whole: {
      "src/features/a/store.ts": "sql`select 1`",
      "src/features/a/service.ts":
        "// the sql`…` tag is for stores\n/** db.foreign( too */\nconst url = 'http://x';",
    },
  },
  environmentReadOnce: {
    broken: [{ "src/platform/config.ts": "const port = process.env.PORT;" }],
    whole: { "src/main.ts": "run(process.env)", "src/platform/x.ts": "// not process.env\nprocess.exit()" },
  },
  filesAreShort: {
    broken: [{ "src/a.ts": "x\n".repeat(401) }],
    whole: { "src/a.ts": "x\n".repeat(400) },
  },
  storesNameTheirTenant: {
    broken: [
      { "src/features/a/store.ts": "export const list = (orgId: OrgId, db: Db) => db;" },
      { "src/features/a/store.ts": "export const list = (db: Db, id: string) => db;" },
      {
        "src/features/a/store.ts":
          "export async function find(\n  db: Db,\n  { id }: { id: string; org: OrgId },\n) {}",
      },
      { "src/platform/mail/store.ts": "export const list = (limit: number, db: Db) => db;" },
    ],
    whole: {
      "src/features/a/store.ts": `
        export const list = (db: Db, orgId: OrgId, after: Map<string, Id>) => db;
        export const rename = async (db: Db, userId: UserId) => db;
        export async function findThingByToken(db: Db, hash: string) {}
        const inner = (id: string) => id;
        export interface Row { id: string }`,
      "src/platform/mail/store.ts": "export const list = (db: Db, limit: number) => db;",
    },
  },
};

describe("each rule", () => {
  const sourcesOf = (files: Record<string, string>) => new Map(Object.entries(files));

  test.each(Object.entries(examples))(
    "%s sees a house that breaks it, and lets its neighbour be",
    (name, { broken, whole }) => {
      const rule = sourceRules[name as keyof typeof sourceRules];
      for (const house of broken) {
        const found = rule(sourcesOf(house));
        expect(found).toHaveLength(1);
        expect(found[0]).toMatch(name === "doorsFormNoLoop" ? /a → b → c → a/ : Object.keys(house)[0]!);
      }
      expect(rule(sourcesOf(whole))).toEqual([]);
    },
  );

  test("migrationsAreNumbered sees a gap, a doublet and a name that is none", () => {
    expect(migrationsAreNumbered(["0001_a.sql", "0002_b.sql"])).toEqual([]);
    for (const files of [
      ["0001_a.sql", "0003_b.sql"],
      ["0001_a.sql", "0001_b.sql"],
      ["0001-a.sql"],
      ["0001_a.ts"],
    ]) {
      expect(migrationsAreNumbered(files)).toHaveLength(1);
    }
  });
});
