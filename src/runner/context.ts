import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createBackoff } from "./backoff.ts";
import { Unreachable } from "./failures.ts";
import type { Assignment, Template } from "./replies.ts";
import type { Server } from "./server.ts";

/** What the command of a run is given beside its instructions, in a folder of its own. */
export interface Context {
  environment: NodeJS.ProcessEnv;
}

/** As the server makes them. Nothing else becomes a path here. */
const slugPattern = /^[a-z0-9]+(?:[-_.]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[-_.]+[a-z0-9]+)*)*$/;

/** Fetches the templates of a run and writes its files. The folder is made anew, for its owner only. */
export async function prepareContext(
  server: Pick<Server, "url" | "readTemplate">,
  assignment: Assignment,
  { folder, cwd }: { folder: string; cwd: string },
  signal: AbortSignal,
): Promise<Context> {
  const templatesFolder = join(folder, "templates");
  const file = join(folder, "context.json");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(templatesFolder, { mode: 0o700 });
  const { credential } = assignment;
  const templates: object[] = [];
  for (const { id, slug } of assignment.templates) {
    try {
      const template = await fetchTemplate(server, id, credential, signal);
      templates.push(writeTemplate(templatesFolder, template));
    } catch (error) {
      throw new Error(`no file could be made of the template ${slug} (${id}): ${(error as Error).message}`);
    }
  }
  const described = {
    url: server.url,
    runId: assignment.runId,
    attempt: assignment.attempt,
    automationId: assignment.automationId,
    automationName: assignment.automationName,
    model: assignment.model,
    timeoutSeconds: Math.floor(assignment.timeoutMs / 1000),
    workdir: cwd,
    templatesDir: templatesFolder,
    templates,
    connections: assignment.connections,
  };
  writeFileSync(file, `${JSON.stringify(described, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  return {
    environment: {
      SIGNALBOX_CONTEXT_FILE: file,
      SIGNALBOX_TEMPLATES_DIR: templatesFolder,
      ...(credential === null ? {} : { SIGNALBOX_RUN_TOKEN: credential }),
    },
  };
}

async function fetchTemplate(
  server: Pick<Server, "readTemplate">,
  id: string,
  credential: string | null,
  signal: AbortSignal,
): Promise<Template> {
  if (credential === null) throw new Error("the server gave no credential for it");
  const backoff = createBackoff();
  for (;;) {
    if (signal.aborted) throw new Error("the run was stopped");
    try {
      return await server.readTemplate(id, credential);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      await backoff.wait(signal, error.retryAfterMs);
    }
  }
}

/** Writes `<slug>.md` and gives what the context file says of it. */
function writeTemplate(folder: string, { body, ...about }: Template): object {
  if (!slugPattern.test(about.slug)) throw new Error("its slug is no file name");
  const file = join(folder, `${about.slug}.md`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Refuses to follow or replace anything that is there.
  writeFileSync(file, body, { mode: 0o600, flag: "wx" });
  return { ...about, file };
}
