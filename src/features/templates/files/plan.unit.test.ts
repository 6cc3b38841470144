import fc from "fast-check";
import { expect, test } from "vitest";
import { computeDigest } from "../digest.ts";
import type { FileTemplate } from "./plan.ts";
import { createPlan, type FoundFile, type SyncedTemplate } from "./plan.ts";

const made = new Map<string, FileTemplate>();
function createContent(slug: string, body: string): FileTemplate {
  const known = made.get(`${slug} ${body}`);
  if (known) return known;
  const template = { slug, name: slug, description: "", tags: [], metadata: {}, body };
  const file = { slug, digest: computeDigest(template), json: Buffer.from(JSON.stringify(template)) };
  made.set(`${slug} ${body}`, file);
  return file;
}

/** What a folder holds: by path, a slug and a text, or something that cannot be read. */
const path = fc.constantFrom("a.md", "b.md", "c.md", "d.md", "e.md");
const slug = fc.constantFrom("p", "q", "r", "s", "taken");
const text = fc.constantFrom("one", "two");
const folder = fc.dictionary(path, fc.option(fc.tuple(slug, text), { freq: 4 }), { maxKeys: 5 });
type Folder = Record<string, [string, string] | null>;

const others = { slugs: new Map([["taken", "a template made by hand"]]), count: 0, limit: 10_000 };

/** Finds files as a sync does: what is known is not read again. */
function found(files: Folder, stored: SyncedTemplate[]): FoundFile[] {
  return Object.entries(files).map(([path, content]) => {
    const source = JSON.stringify(content);
    if (stored.some((one) => one.path === path && one.source === source))
      return { path, source, content: undefined };
    return {
      path,
      source,
      content: content ? createContent(...content) : { path, line: 1, message: "broken" },
    };
  });
}

let ids = 0;
/** Does what a plan says, as strictly as the database would. */
function apply(stored: SyncedTemplate[], plan: NonNullable<ReturnType<typeof createPlan>>): SyncedTemplate[] {
  const rows = new Map(stored.map((one) => [one.id, { ...one }]));
  for (const id of plan.removed) expect(rows.delete(id)).toBe(true);
  for (const { id, path, source } of plan.moved) Object.assign(rows.get(id)!, { path, source });
  for (const { id, path, source, content } of plan.changed)
    Object.assign(rows.get(id)!, { path, source, digest: content.digest, slug: content.slug });
  for (const { path, source, content } of plan.added) {
    const id = `t${++ids}`;
    rows.set(id, { id, path, source, digest: content.digest, slug: content.slug });
  }
  return [...rows.values()];
}

test("after any history of folders the templates equal the last folder, and each file is counted", () => {
  fc.assert(
    fc.property(fc.array(folder, { minLength: 1, maxLength: 6 }), (history) => {
      let stored: SyncedTemplate[] = [];
      for (const files of history as Folder[]) {
        const before = stored;
        const plan = createPlan(found(files, stored), stored, others)!;
        stored = apply(stored, plan);
        const slugs = stored.map((one) => one.slug);
        expect(new Set(slugs).size).toBe(slugs.length);
        expect(new Set(stored.map((one) => one.path)).size).toBe(stored.length);
        expect(slugs).not.toContain("taken");
        for (const one of stored) expect(Object.keys(files)).toContain(one.path);
        const told = new Set(plan.problems.items.map((one) => one.path));
        for (const [path, content] of Object.entries(files)) {
          const now = stored.find((one) => one.path === path);
          if (told.has(path)) {
            // Last good version, or none: never something in between.
            const earlier = before.find((one) => one.path === path);
            if (now) expect(now).toEqual(earlier);
          } else expect(now).toMatchObject({ slug: content![0], digest: createContent(...content!).digest });
        }
        expect(plan.added.length + plan.changed.length + plan.unchanged).toBe(stored.length);
        const again = createPlan(found(files, stored), stored, others)!;
        expect([again.added, again.changed, again.removed, again.moved]).toEqual([[], [], [], []]);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("more templates than an organization may have give no plan", () => {
  const files: FoundFile[] = [{ path: "a.md", source: "1", content: createContent("a", "a") }];
  expect(createPlan(files, [], { ...others, count: 10_000 })).toBeUndefined();
  expect(createPlan(files, [], { ...others, count: 9_999 })).toBeDefined();
  expect(createPlan(files, [], { ...others, count: 3, limit: 3 })).toBeUndefined();
  expect(createPlan([], [], { ...others, count: 4, limit: 3 })).toBeDefined();
});
