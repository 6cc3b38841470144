import type { TestProject } from "vitest/node";
import { cleanUp, freshFolder, serve } from "./kit.ts";

declare module "vitest" {
  export interface ProvidedContext {
    preparedFolder: string;
  }
}

/** Makes one data folder; tests that are not about the first start begin with a copy of it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = freshFolder();
  const server = await serve(dataDir);
  await server.end("SIGTERM");
  project.provide("preparedFolder", dataDir);
  return cleanUp;
}
