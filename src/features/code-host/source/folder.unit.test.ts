import { describe, expect, test } from "vitest";
import { createCappedList } from "../../../platform/capped-list.ts";
import type { Snapshot } from "../../../platform/git/index.ts";
import type { Problem } from "../../templates/index.ts";
import { listFolder } from "./folder.ts";

/** Folders that no honest repository has. */
type TreeEntry = ReturnType<Snapshot["tree"]> extends Iterable<infer Entry> ? Entry : never;
const entry = (kind: TreeEntry["kind"], name: string, id = "blob"): TreeEntry => ({
  kind,
  name: Buffer.from(name),
  id,
});

async function list(trees: Record<string, Iterable<TreeEntry>>, folder = "") {
  const snapshot: Snapshot = {
    id: "c".repeat(40),
    commit: { tree: "root", author: undefined },
    tree: (id) => trees[id]!,
    files: () => {
      throw new Error("No file is read.");
    },
  };
  const problems = createCappedList<Problem>({ items: 100, bytes: 10_000, measureSize: () => 1 });
  const files = await listFolder(snapshot, folder, problems);
  return { paths: files.map(({ path }) => path), problems };
}

describe("a hostile folder", () => {
  test("of a million entries is refused", async () => {
    function* entries() {
      for (let n = 0; n < 1_000_000; n++) yield entry("file", `f${n}.txt`);
    }
    await expect(list({ root: { [Symbol.iterator]: entries } })).rejects.toMatchObject({ code: "too_large" });
  });

  test("of more Markdown files than can be templates is refused", async () => {
    const root = Array.from({ length: 10_001 }, (_, n) => entry("file", `f${n}.md`));
    await expect(list({ root })).rejects.toMatchObject({ code: "too_many_templates" });
  });

  test("that contains each folder twice, fifty times over, is refused", async () => {
    const trees: Record<string, TreeEntry[]> = { end: [entry("file", "a.txt")] };
    for (let depth = 0; depth < 50; depth++) {
      const below = depth === 49 ? "end" : `t${depth + 1}`;
      trees[depth === 0 ? "root" : `t${depth}`] = [entry("tree", "a", below), entry("tree", "b", below)];
    }
    await expect(list(trees)).rejects.toMatchObject({ code: "too_large" });
  });

  test("of a hundred thousand levels is read fifty deep", async () => {
    const trees: Record<string, TreeEntry[]> = { root: [entry("tree", "d", "t1"), entry("file", "top.md")] };
    for (let depth = 1; depth < 100_000; depth++)
      trees[`t${depth}`] = [entry("tree", "d", `t${depth + 1}`), entry("file", "in.md")];
    const { paths, problems } = await list(trees);
    expect(paths).toHaveLength(51);
    expect(paths).toContain("top.md");
    expect(problems).toMatchObject({ count: 1 });
  });

  test("of names that lead elsewhere has no file", async () => {
    const names = [
      "..",
      ".",
      "../a.md",
      "a/../../b.md",
      "/etc/c.md",
      "a\\..\\d.md",
      "e\0.md",
      ".git",
      ".hidden.md",
    ];
    const root = names.flatMap((name) => [entry("file", name), entry("tree", name, "inside")]);
    const { paths } = await list({ root, inside: [entry("file", "inside.md")] });
    expect(paths).toEqual([]);
  });

  test("of links and submodules has no file, also when the folder itself is one", async () => {
    const root = [
      entry("symlink", "link.md"),
      entry("symlink", "up", "root"),
      entry("submodule", "other"),
      entry("file", "real.md"),
    ];
    const { paths, problems } = await list({ root });
    expect(paths).toEqual(["real.md"]);
    expect(problems.count).toBe(3);
    await expect(list({ root }, "up")).rejects.toMatchObject({ code: "folder_not_found" });
  });

  test("that lists a name twice has it once", async () => {
    const root = [entry("file", "a.md", "one"), entry("file", "a.md", "two"), entry("tree", "a.md", "root")];
    const { paths, problems } = await list({ root });
    expect(paths).toEqual(["a.md"]);
    expect(problems.count).toBe(2);
  });
});
