/** The GitHub workflows, as far as they can be checked without GitHub. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Job {
  "runs-on": string;
  "timeout-minutes"?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix: { part?: string[]; include?: { parts?: string }[] } };
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  concurrency?: { group: string; "cancel-in-progress": unknown };
  jobs: Record<string, Job>;
}

const root = join(import.meta.dirname, "../..");
const folder = join(root, ".github/workflows");
const files = readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));

/** What the jobs of a release may write: the image, the signatures and the release itself. */
const mayWrite: Record<string, string[]> = {
  "release.yml": [
    "image: packages",
    "image-for-all-platforms: packages",
    "image-for-all-platforms: id-token",
    "image-for-all-platforms: attestations",
    "packages: contents",
    "packages: id-token",
    "packages: attestations",
  ],
};

describe.each(files)("$file", ({ file, text }) => {
  const workflow = parse(text, { strict: true, uniqueKeys: true }) as Workflow;
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  test("pins every action by its commit, with the version as a comment", () => {
    const uses = [...text.matchAll(/^\s*-? *uses:(.*)$/gm)].map(([, value]) => value!);
    expect(uses).toHaveLength(steps.filter((step) => step.uses).length);
    for (const value of uses) expect(value).toMatch(/^ [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("uses one version of each action", () => {
    const pinned = new Set(steps.flatMap(({ uses }) => uses ?? []));
    const actions = new Set([...pinned].map((uses) => uses.split("@")[0]));
    expect(pinned.size).toBe(actions.size);
  });

  test("may only read, except where a job publishes", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    const writing = jobs.flatMap(([name, job]) =>
      Object.entries(job.permissions ?? {})
        .filter(([, access]) => access === "write")
        .map(([scope]) => `${name}: ${scope}`),
    );
    expect(writing).toEqual(mayWrite[file] ?? []);
  });

  test("leaves no credential in the working copy", () => {
    for (const { uses, with: inputs } of steps)
      if (uses?.startsWith("actions/checkout@"))
        expect(inputs).toMatchObject({ "persist-credentials": false });
  });

  test("limits the time of each job, and cancels older runs of a pull request", () => {
    for (const [, job] of jobs)
      expect(job["timeout-minutes"]).toBeLessThanOrEqual(file === "release.yml" ? 90 : 30);
    expect(workflow.concurrency?.group).toContain("github.ref");
  });

  test("puts no text that a contributor can choose into a shell command", () => {
    for (const { run } of steps)
      for (const [, expression] of (run ?? "").matchAll(/\$\{\{(.*?)\}\}/g))
        expect(expression!.trim()).toMatch(/^matrix\.\w+$/);
  });
});

test("the jobs run each part of `npm test` once", () => {
  const parts = /const parts = \[(.*)\];/.exec(readFileSync(join(root, "test/run.ts"), "utf8"))![1]!;
  const expected = [...parts.matchAll(/"(\w+)"/g)].map(([, part]) => part!);
  const { jobs } = parse(files.find(({ file }) => file === "ci.yml")!.text) as Workflow;
  const run = Object.values(jobs).flatMap(({ strategy }) => [
    ...(strategy?.matrix.part ?? []),
    ...(strategy?.matrix.include ?? []).flatMap(({ parts: only = "" }) =>
      [...only.matchAll(/--only (\w+)/g)].map(([, part]) => part!),
    ),
  ]);
  expect(run.sort()).toEqual(expected.sort());
});
