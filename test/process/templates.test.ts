import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { templateFile } from "../connectors.ts";
import { type GitRepository, type GitServer, runGit, startGitServer } from "../fixtures/git-server.ts";
import { ada, cleanUp, copyFolder, type RunningServer, serve } from "./kit.ts";

const hookProgram = fileURLToPath(new URL("../fixtures/code-host-hook.ts", import.meta.url));

describe("templates follow a repository", () => {
  let git: GitServer;
  let repository: GitRepository;
  let server: RunningServer;
  let auth: Record<string, string>;
  const clone = mkdtempSync(join(tmpdir(), "clone-"));
  beforeAll(async () => {
    [git, server] = await Promise.all([startGitServer(), serve(copyFolder(inject("preparedFolder")))]);
    repository = await git.repository("acme/handbook");
    await repository.commit({ "templates/triage.md": templateFile("Triage", "First.") });
    await runGit(["clone", "-q", repository.url, "."], clone);
    const { token } = (await server.call("/api/auth/sign-up/email", { body: ada })).body;
    auth = { authorization: `Bearer ${token}` };
    await server.call("/v1/organizations", { body: { name: "Acme" }, headers: auth });
  });
  afterAll(async () => {
    await cleanUp();
    await git.close();
    rmSync(clone, { recursive: true, force: true });
  });

  const bodies = async () => {
    const { items } = (await server.call("/v1/templates", { headers: auth })).body;
    const found: Record<string, string> = {};
    for (const { id, slug } of items)
      found[slug] = (await server.call(`/v1/templates/${id}`, { headers: auth })).body.template.body.trim();
    return found;
  };
  async function push(files: Record<string, string>): Promise<void> {
    for (const [path, content] of Object.entries(files)) writeFileSync(join(clone, path), content);
    await runGit(["add", "."], clone);
    await runGit(["commit", "-q", "-m", "change"], clone);
    await runGit(["push", "-q", "origin", "main"], clone);
  }

  test("within seconds of a git push and its webhook", async () => {
    const { connector, webhookSecret } = (
      await server.call("/v1/connectors", {
        body: {
          name: "Handbook",
          codehost: "github",
          repository: "acme/handbook",
          cloneUrl: repository.url,
          ref: "main",
          folder: "templates",
        },
        headers: auth,
      })
    ).body;
    await expect.poll(bodies, { timeout: 15_000 }).toEqual({ triage: "First." });

    const words = [process.execPath, hookProgram, connector.webhookUrl, webhookSecret, "acme/handbook"];
    const hook = `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")}\n`;
    writeFileSync(join(repository.path, "hooks/post-receive"), hook, { mode: 0o755 });
    await push({
      "templates/triage.md": templateFile("Triage", "Second."),
      "templates/review.md": templateFile("Review", "New."),
    });
    await expect.poll(bodies, { timeout: 15_000 }).toEqual({ triage: "Second.", review: "New." });

    const { items } = (await server.call("/v1/webhook-deliveries", { headers: auth })).body;
    expect(items).toMatchObject([{ event: "push", outcome: "accepted", repository: "acme/handbook" }]);
    const syncId = items[0].targets[0].syncId;
    const { sync } = (await server.call(`/v1/connector-syncs/${syncId}`, { headers: auth })).body;
    expect(sync).toMatchObject({ status: "succeeded", cause: "push", changes: { added: 1, changed: 1 } });
  });
});
