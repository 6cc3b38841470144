import { type CappedList, createCappedList } from "../../../platform/capped-list.ts";
import { limits } from "../fields.ts";
import type { Problem } from "./front-matter.ts";

/** A template that was read from a file. Its fields stay JSON bytes, which only the database parses. */
export interface FileTemplate {
  slug: string;
  digest: string;
  /** `slug`, `name`, `description`, `tags`, `body` and `metadata`. */
  json: Uint8Array;
}

/** A file of the repository. */
export interface FoundFile {
  path: string;
  /** A hash of the content and of the folder. Equal hashes mean that nothing changed. */
  source: string;
  /** The parsed file. Undefined when the file is known already; a problem when it cannot be parsed. */
  content: FileTemplate | Problem | undefined;
}

/** A template that follows a file, as it is stored. */
export interface SyncedTemplate {
  id: string;
  path: string;
  slug: string;
  source: string | null;
  digest: string;
}

export interface Write {
  path: string;
  source: string;
  content: FileTemplate;
}

export interface Plan {
  added: Write[];
  changed: (Write & { id: string })[];
  /** The bytes or the path changed, but not the content: no new version. */
  moved: { id: string; path: string; source: string }[];
  removed: string[];
  unchanged: number;
  problems: CappedList<Problem>;
}

export interface OtherTemplates {
  /** Slugs of other templates, with a text that names their owner. */
  slugs: ReadonlyMap<string, string>;
  /** The number of templates that do not belong to this connector. */
  count: number;
  /** The quota of templates. An organization above it keeps what it has, and adds nothing. */
  limit: number;
}

/** A list that keeps the first problems and counts all of them. */
export const createProblemList = (): CappedList<Problem> =>
  createCappedList({
    items: 100,
    bytes: 64 * 1024,
    measureSize: ({ path, message }) => path.length + message.length,
  });

/**
 * Plans the writes that make templates equal to files. A file that cannot be parsed keeps its template; a slug belongs
 * to the file that has it, then to the first by path. Undefined when there would be too many templates.
 */
export function createPlan(
  files: readonly FoundFile[],
  stored: readonly SyncedTemplate[],
  others: OtherTemplates,
): Plan | undefined {
  const plan: Plan = {
    added: [],
    changed: [],
    moved: [],
    removed: [],
    unchanged: 0,
    problems: createProblemList(),
  };
  const byPath = new Map(stored.map((one) => [one.path, one]));
  const found = new Set(files.map(({ path }) => path));
  // A template whose file was removed follows a new file with its slug: the file was renamed.
  const orphans = new Map(stored.filter(({ path }) => !found.has(path)).map((one) => [one.slug, one]));
  const owners = new Map<string, string>();
  const wanted: { file: FoundFile; content: FileTemplate; before: SyncedTemplate | undefined }[] = [];

  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const before = byPath.get(file.path);
    const { content } = file;
    if (content === undefined || "message" in content) {
      if (content) plan.problems.add(content);
      // The file could not be parsed, so the template stays with its slug.
      if (before) {
        plan.unchanged++;
        owners.set(before.slug, before.path);
      } else if (!content) throw new Error("A file that is not known was not read.");
      continue;
    }
    wanted.push({ file, content, before });
  }
  // A file that has its slug already keeps it, regardless of the order of paths.
  const settled = wanted.filter(({ content, before }) => before?.slug === content.slug);
  for (const { content, file } of settled) owners.set(content.slug, file.path);

  for (const { file, content, before } of wanted) {
    const slugOwner = owners.get(content.slug) ?? others.slugs.get(content.slug);
    if (slugOwner !== undefined && slugOwner !== file.path) {
      const who = owners.has(content.slug) ? `the file ${slugOwner}` : slugOwner;
      plan.problems.add({
        path: file.path,
        line: null,
        message: `The slug ${content.slug} belongs to ${who}. Give another slug in the front matter.`,
      });
      if (!before) continue;
      if (owners.has(before.slug)) {
        plan.removed.push(before.id);
      } else {
        owners.set(before.slug, file.path);
        plan.unchanged++;
      }
      continue;
    }
    owners.set(content.slug, file.path);
    const heir = before ?? orphans.get(content.slug);
    if (heir && !before) orphans.delete(content.slug);
    const write = { path: file.path, source: file.source, content };
    if (!heir) plan.added.push(write);
    else if (heir.digest !== content.digest) plan.changed.push({ ...write, id: heir.id });
    else {
      plan.unchanged++;
      if (heir.path !== file.path || heir.source !== file.source)
        plan.moved.push({ id: heir.id, path: file.path, source: file.source });
    }
  }
  plan.removed.push(...[...orphans.values()].map(({ id }) => id));
  const total = others.count + plan.added.length + plan.changed.length + plan.unchanged;
  const isOverQuota = total > others.limit && total > others.count + stored.length;
  return total > limits.perOrganization || isOverQuota ? undefined : plan;
}
