import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { makeDatabase } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    engine: "pglite" | "postgres";
    pgliteTemplate: string;
    postgresTemplate: string;
  }
}

/** Migrates one database per engine; every test file then starts from a copy of it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = project.name === "postgres" ? "postgres" : "pglite";
  project.provide("engine", engine);
  if (engine === "postgres") {
    const template = await makeDatabase("sbx_template");
    project.provide("postgresTemplate", template.name);
    project.provide("pgliteTemplate", "");
    await migrate(template.url);
    return () => template.drop();
  }
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  const pgliteDir = join(folder, "pg");
  await migrate(pgliteDir);
  project.provide("pgliteTemplate", pgliteDir);
  project.provide("postgresTemplate", "");
  return async () => rmSync(folder, { recursive: true, force: true });
}

/** In a process of its own: the test runner takes three times the CPU time to load all rooms and to run the engine. */
async function migrate(target: string): Promise<void> {
  const flags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];
  const program = join(import.meta.dirname, "template.ts");
  await promisify(execFile)(process.execPath, [...flags, program, target]);
}
