import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { freshFolder, serve } from "./kit.ts";

declare module "vitest" {
  export interface ProvidedContext {
    preparedFolder: string;
  }
}

/** Makes one data folder; tests that are not about the first start begin with a copy of it. */
export default async function setup(project: TestProject): Promise<() => void> {
  const dataDir = freshFolder();
  const server = await serve(dataDir);
  await server.end("SIGTERM");
  project.provide("preparedFolder", dataDir);
  return () => rmSync(dataDir, { recursive: true, force: true });
}
