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

describe("the source code", () => {
  test("has rooms and a platform", () => {
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

  test("every room has an index.ts", () => {
    for (const room of readdirSync(join(root, "src/features"))) {
      expect([...sources.keys()]).toContain(`src/features/${room}/index.ts`);
    }
  });
});

/** For each rule, sources that violate it, and similar sources that do not. */
const examples: Record<
  keyof typeof sourceRules,
  { broken: Record<string, string>[]; whole: Record<string, string> }
> = {
  platformImportsNoFeature: {
    broken: [
      { "src/platform/mail/index.ts": 'import { a } from "../../features/members/index.ts";' },
      { "src/platform/x.ts": 'export * from "../app.ts";' },
      { "src/platform/x.ts": 'import type {\n  A,\n  B,\n} from "../commands/serve.ts";' },
      { "src/platform/x.ts": 'const a = await import("../features/members/index.ts");' },
    ],
    whole: { "src/platform/x.ts": 'import { a } from "./db/index.ts";\nimport p from "../../package.json";' },
  },
  roomsImportOnlyRoomsAndPlatform: {
    broken: [
      { "src/features/a/service.ts": 'import { routes } from "../../app.ts";' },
      { "src/features/a/service.ts": 'import { serve } from "../../commands/serve.ts";' },
    ],
    whole: { "src/features/a/service.ts": 'import { x } from "../../platform/ids.ts";' },
  },
  roomsAreImportedByIndex: {
    broken: [
      { "src/features/a/service.ts": 'import * as store from "../b/store.ts";' },
      { "src/features/a/x/service.ts": 'import type { B } from "../../b/contract.ts";' },
      { "src/app.ts": 'import { routes } from "./features/a/routes.ts";' },
    ],
    whole: {
      "src/features/a/service.ts": 'import { b } from "../b/index.ts";\nimport * as store from "./store.ts";',
    },
  },
  roomsFormNoCircle: {
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
  subRoomsAreImportedByIndex: {
    broken: [
      {
        "src/features/a/service.ts": 'import * as store from "./x/store.ts";',
        "src/features/a/x/index.ts": "",
        "src/features/a/x/store.ts": "",
      },
      {
        "src/features/a/y/service.ts": 'import type { X } from "../x/deep/contract.ts";',
        "src/features/a/x/index.ts": "",
      },
    ],
    whole: {
      "src/features/a/service.ts":
        'import { x } from "./x/index.ts";\nimport { helper } from "./folder-without-index/helper.ts";',
      "src/features/a/x/index.ts": 'export { x } from "./store.ts";\nexport { y } from "./deep/index.ts";',
      "src/features/a/x/deep/index.ts": 'export { y } from "../store.ts";',
    },
  },
  subRoomsFormNoCircle: {
    broken: [
      {
        "src/features/a/x/service.ts": 'import { y } from "../y/index.ts";',
        "src/features/a/y/jobs.ts": 'import type { X } from "../x/index.ts";',
      },
    ],
    whole: {
      "src/features/a/x/service.ts": 'import { y } from "../y/index.ts";',
      "src/features/a/y/jobs.ts": 'import { shared } from "../shared.ts";',
      "src/features/a/index.ts": 'import { x } from "./x/index.ts";',
    },
  },
  filesFormNoCircle: {
    broken: [
      {
        "src/platform/a.ts": 'import type { B } from "./b.ts";',
        "src/platform/b.ts": 'export { C } from "./c.ts";',
        "src/platform/c.ts": 'import {\n  type A,\n} from "./a.ts";',
      },
      {
        "packages/x/src/a.ts": 'import { b } from "./b.ts";',
        "packages/x/src/b.ts": 'import "x";\nimport type { A } from "./a.ts";',
      },
    ],
    whole: {
      "src/platform/a.ts": 'import type { B } from "./b.ts";\nimport { c } from "./c.ts";',
      "src/platform/b.ts": 'import { c } from "./c.ts";',
      "src/platform/c.ts": "",
    },
  },
  platformHasNoProductWords: {
    broken: [
      { "src/platform/x.ts": "const runnerToken = 1;" },
      { "src/platform/x/y.ts": 'log.warn("a Webhook failed");' },
    ],
    whole: {
      "src/platform/x.ts": "// Runners call this.\n/** A webhook. */\nconst text = `a template`;",
      "src/features/a/x.ts": "const connector = 1;",
    },
  },
  functionsAreNamedBeforeTheyAreAssigned: {
    broken: [
      { "src/x.ts": "query.callback = (error) => reject(error);" },
      { "src/x.ts": "  this.#stop = async ({ reason }: Stop): Promise<void> => {" },
      { "src/x.ts": "handlers[name] ??= function () {};" },
      { "src/x.ts": "server.on = error => log(error);" },
    ],
    whole: {
      "src/x.ts":
        'const stop: Query["stop"] = () => {};\nquery.callback = stop;\nquery.size = list.map((one) => one.size);\nlet wait = () => {};\nif (a.b === (c) || list.some((one) => one)) done();',
    },
  },
  modulesHaveNoState: {
    broken: [
      { "src/features/a/x.ts": "let count = 0;" },
      { "src/features/a/x.ts": "const known = new WeakMap<Bus, Cache>();\nknown.set(bus, cache);" },
      { "src/platform/x.ts": "export const cache: Map<string, number> = new Map();\ncache.delete(key);" },
      { "src/platform/x.ts": "const waiting: string[] = [];\nwaiting.push(id);" },
    ],
    whole: {
      "src/features/a/x.ts":
        "const names = new Set(['a']);\nnames.has('a');\nfunction f() {\n  let count = 0;\n  const m = new Map();\n  m.set(1, count);\n}",
    },
  },
  statesAreListed: {
    broken: [
      {
        "src/features/a/cache.ts": 'export const cache = defineState({ name: "cache" });',
        "src/features/a/index.ts": "export const room = defineRoom({ state: [other] });",
      },
      { "src/features/a/x/cache.ts": 'export const cache = defineState({ name: "cache" });' },
    ],
    whole: {
      "src/features/a/x/cache.ts": 'export const cache = defineState({ name: "cache" });',
      "src/features/a/index.ts":
        "export const room = defineRoom({\n  state: [\n    cache,\n    x.other,\n  ],\n});",
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
  filesKeepTheirRole: {
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
      { "src/platform/bus.ts": 'await db.queryWithDriverTypes("select 1");' },
    ],
    whole: {
      "src/features/a/store.ts": "sql`select 1`",
      "src/features/a/service.ts":
        "// the sql`…` tag is for stores\n/** db.queryWithDriverTypes( too */\nconst url = 'http://x';",
    },
  },
  environmentIsReadOnce: {
    broken: [{ "src/platform/config.ts": "const port = process.env.PORT;" }],
    whole: { "src/main.ts": "run(process.env)", "src/platform/x.ts": "// not process.env\nprocess.exit()" },
  },
  filesAreShort: {
    broken: [{ "src/a.ts": "x\n".repeat(401) }],
    whole: { "src/a.ts": "x\n".repeat(400) },
  },
  storeFunctionsTakeOrganization: {
    broken: [
      { "src/features/a/store.ts": "export const list = (orgId: OrgId, db: Db) => db;" },
      { "src/features/a/store.ts": "export const list = (db: Db, id: string) => db;" },
      {
        "src/features/a/store.ts":
          "export async function find(\n  db: Db,\n  { id }: { id: string; org: OrgId },\n) {}",
      },
      { "src/platform/mail/store.ts": "export const list = (limit: number, db: Db) => db;" },
      { "src/features/a/store.ts": "export const find = (id: string): SqlRow => run(id);" },
    ],
    whole: {
      "src/features/a/store.ts": `
        export const list = (db: Db, orgId: OrgId, after: Map<string, Id>) => db;
        export const rename = async (db: Db, userId: UserId) => db;
        export async function findThingByToken(db: Db, hash: string) {}
        export const isUsableBy = (memberId: string | Sql): Sql => sql\`a.member_id = \${memberId}\`;
        const inner = (id: string) => id;
        export interface Row { id: string }`,
      "src/platform/mail/store.ts": "export const list = (db: Db, limit: number) => db;",
    },
  },
};

describe("each rule", () => {
  const toSources = (files: Record<string, string>) => new Map(Object.entries(files));

  test.each(Object.entries(examples))(
    "%s reports sources that violate it, and accepts similar ones",
    (name, { broken, whole }) => {
      const rule = sourceRules[name as keyof typeof sourceRules];
      for (const files of broken) {
        const found = rule(toSources(files));
        expect(found).toHaveLength(1);
        expect(found[0]).toMatch(name.endsWith("FormNoCircle") ? / → .* → / : Object.keys(files)[0]!);
      }
      expect(rule(toSources(whole))).toEqual([]);
    },
  );

  test("migrationsAreNumbered reports a gap, a duplicate and a wrong name", () => {
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
