import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnector, templateFile } from "../../../../test/connectors.ts";
import { type GitServer, startGitServer } from "../../../../test/fixtures/git-server.ts";
import { createWorkspace, useServer } from "../../../../test/harness.ts";

const server = useServer({ role: "all" });
let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
}, 120_000);
afterAll(() => git.close());

test("a running service syncs without a request: after a connector is created, and after a push", async () => {
  const { owner } = await createWorkspace(server);
  const repository = await git.repository();
  await repository.commit({ "templates/live.md": templateFile("Live", "first") });
  const { id } = await createConnector(server, owner.auth, { cloneUrl: repository.url });
  const body = async () => {
    const [found] = (await server.call("/v1/templates?slug=live", { headers: owner.auth })).body.items;
    if (!found) return undefined;
    return (
      await server.call(`/v1/templates/${found.id}`, { headers: owner.auth })
    ).body.template.body.trim();
  };
  await expect.poll(body, { timeout: 40_000 }).toBe("first");
  await repository.commit({ "templates/live.md": templateFile("Live", "second") });
  const started = performance.now();
  await server.call(`/v1/connectors/${id}/sync`, { method: "POST", headers: owner.auth });
  await expect.poll(body, { timeout: 40_000 }).toBe("second");
  expect(performance.now() - started).toBeLessThan(10_000);
}, 120_000);
