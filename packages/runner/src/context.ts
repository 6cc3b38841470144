import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createBackoff, UnreachableError } from "@signalbox/client";
import type { RunnerApi } from "./api.ts";
import type { Assignment, RunTemplate } from "./replies.ts";

/** Environment variables with which the program finds its context file, its templates and its run credential. */
export interface Context {
  environment: NodeJS.ProcessEnv;
}

/** The form of slugs that the server creates. No other slug becomes a path. */
const slugPattern = /^[a-z0-9]+(?:[-_.]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[-_.]+[a-z0-9]+)*)*$/;

/** Fetches the templates of a run and writes its files into a new folder that only its owner can read. */
export async function prepareContext(
  api: Pick<RunnerApi, "url" | "readTemplate">,
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
      const template = await fetchTemplate(api, id, credential, signal);
      templates.push(writeTemplate(templatesFolder, template));
    } catch (error) {
      throw new Error(`cannot prepare the template ${slug} (${id}): ${(error as Error).message}`);
    }
  }
  const context = {
    url: api.url,
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
  writeFileSync(file, `${JSON.stringify(context, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  return {
    environment: {
      SIGNALBOX_CONTEXT_FILE: file,
      SIGNALBOX_TEMPLATES_DIR: templatesFolder,
      ...(credential === null ? {} : { SIGNALBOX_RUN_TOKEN: credential }),
    },
  };
}

async function fetchTemplate(
  api: Pick<RunnerApi, "readTemplate">,
  id: string,
  credential: string | null,
  signal: AbortSignal,
): Promise<RunTemplate> {
  if (credential === null) throw new Error("the server issued no run credential");
  const backoff = createBackoff();
  for (;;) {
    if (signal.aborted) throw new Error("the run was stopped");
    try {
      return await api.readTemplate(id, credential);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      await backoff.wait(signal, error.retryAfterMs);
    }
  }
}

/** Writes `<slug>.md`. Returns the entry of the template in the context file. */
function writeTemplate(folder: string, { body, ...fields }: RunTemplate): object {
  if (!slugPattern.test(fields.slug)) throw new Error("its slug is not a file name");
  const file = join(folder, `${fields.slug}.md`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // `wx` fails when the path exists, so it follows no link and replaces no file.
  writeFileSync(file, body, { mode: 0o600, flag: "wx" });
  return { ...fields, file };
}
