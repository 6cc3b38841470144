/** What a block of a document needs before it can run. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeAt, stepAt } from "../../../src/features/auth/two-factor/totp.ts";
import { openHandshake } from "../../fixtures/mcp-hostile/parts.ts";
import { startHostileServer } from "../../fixtures/mcp-hostile/server.ts";
import { startReceiver } from "../../webhook-receiver.ts";
import { copyFolder, signalbox, start } from "../kit.ts";
import { guidePreparations } from "./guides.ts";
import { connectAccount, demoOwner, type Instance, password } from "./instance.ts";
import type { World } from "./recorded.ts";

export interface Given extends Partial<World> {
  /** The session of the block. Without one, it is the owner of the demo. */
  token?: string;
  env?: Record<string, string>;
}

export interface Preparation {
  file: string;
  /** A text in the block. */
  text: string;
  prepare(instance: Instance): Promise<Given>;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function createAutomation({ ask }: Instance): Promise<string> {
  const body = { name: "Prepared", instructions: "Look.", schedule: { kind: "manual" } };
  return (await ask("/v1/automations", body)).automation.id;
}

async function queueRun(instance: Instance): Promise<string> {
  const { run } = await instance.ask(`/v1/automations/${await createAutomation(instance)}/run`, {});
  return run.id;
}

/** The first report claims the run, so no runner takes it. */
async function startRun(instance: Instance): Promise<string> {
  const run = await queueRun(instance);
  const report = { attempt: 1, type: "usage", createdAt: Date.now() };
  for (let sequence = 0; sequence < 5; sequence++)
    await instance.ask(`/v1/automation-runs/${run}/events`, {
      ...{ ...report, sequence },
      payload: { inputTokens: 1, outputTokens: 1, costMicros: 1 },
    });
  return run;
}

/** A runner that answers every run of the owner, until the tests end. */
function startRunner({ server, key, home }: Instance): void {
  const state = join(home, ".local/state/background-runner");
  const args = ["runner", "--url", server.url, "--state", state, "--command", "cat >/dev/null; echo Done."];
  start(args, { SIGNALBOX_API_KEY: key });
}

const createTemplate = async ({ ask }: Instance, name: string, slug: string): Promise<string> =>
  (await ask("/v1/templates", { name, slug, body: "Read." })).template.id;

/** The templates and the account that the documents give to an automation. */
async function prepareAutomation(instance: Instance): Promise<Given> {
  const { providerId, connectionId } = await connectAccount(instance);
  const tpl = await createTemplate(instance, "Code review", "code-review");
  await createTemplate(instance, "Triage", "agents/triage");
  const aut = await createAutomation(instance);
  // GitHub cannot be reached from a test; a provider on loopback stands for it.
  return {
    ids: { aut, tpl, ocn: connectionId },
    texts: { github: providerId },
  };
}

/** A connection to an MCP server on loopback, which stands for the one that the documents name. */
async function connectMcpServer(instance: Instance): Promise<Given> {
  const server = await startHostileServer(openHandshake);
  const saved = await instance.ask("/v1/mcp-connections", { url: `${server.base}/saved` });
  return {
    ids: { mcn: saved.connection.id },
    texts: { "https://mcp.example.com/mcp": `${server.base}/mcp` },
  };
}

/** The connection of the demo whose server changed its tools. */
async function findDrift({ ask }: Instance): Promise<Given> {
  const { items } = await ask("/v1/mcp-connections");
  const ID: string = items.find(({ heldTools }: { heldTools: number }) => heldTools > 0).id;
  const drift = await ask(`/v1/mcp-connections/${ID}/drift`);
  const { tool } = drift.items.find(({ subject }: { subject: string }) => subject === "tool");
  return { env: { ID }, texts: { search_issues: tool, "b5bb9d80…": drift.revision } };
}

async function createEndpoint({ ask }: Instance): Promise<Given> {
  const receiver = await startReceiver();
  receiver.answer = () => ({ status: 200 });
  const { webhookEndpoint } = await ask("/v1/webhook-endpoints", { url: receiver.url });
  return {
    ids: { whe: webhookEndpoint.id },
    texts: { "https://hooks.example.com/signalbox": `${receiver.url}/other` },
  };
}

async function readMails({ dataDir }: Instance): Promise<{ id: string }[]> {
  const { stdout, stderr } = await signalbox(["mail", "--json"], dataDir);
  if (!stdout) throw new Error(stderr);
  const list = JSON.parse(stdout);
  return list.items ?? list.mails ?? list;
}

const withRun = async (instance: Instance): Promise<Given> => ({ ids: { run: await queueRun(instance) } });
const withAda = async ({ signIn }: Instance): Promise<Given> => ({
  token: await signIn("ada@example.com", "acme"),
});

async function createProvider({ ask, signIn }: Instance): Promise<Given> {
  const auth = bearer(await signIn(demoOwner));
  const body = { kind: "anthropic", name: "Prepared", apiKey: "sk-ant-api03-EXAMPLE" };
  return { ids: { llp: (await ask("/v1/llm-providers", body, auth)).llmProvider.id } };
}

export const preparations: Preparation[] = [
  { file: "README.md", text: "https://mcp.example.com/mcp", prepare: connectMcpServer },
  { file: "docs/cli.md", text: "signalbox mcp-connections", prepare: connectMcpServer },
  { file: "docs/mcp-connections.md", text: "https://mcp.example.com/mcp", prepare: connectMcpServer },
  { file: "docs/mcp-tools.md", text: "/drift/approve", prepare: findDrift },
  { file: "docs/mcp-import-export.md", text: "https://mcp.example.com/mcp", prepare: connectMcpServer },
  { file: "docs/llm-providers.md", text: "llp_…", prepare: createProvider },
  {
    file: "README.md",
    text: "TOKEN=…",
    prepare: async ({ signIn }) => ({ token: await signIn("ada@example.com") }),
  },
  {
    file: "README.md",
    text: "npx signalbox demo",
    prepare: async ({ emptyFolder }) => ({ env: { DATA_DIR: copyFolder(emptyFolder) } }),
  },
  {
    file: "docs/audit.md",
    text: "--expect",
    async prepare({ ask }) {
      const { organization } = await ask("/v1/organization");
      const { chain } = await ask("/v1/audit-chain");
      return { texts: { "org_01m7…:812:9f2c…": `${organization.id}:${chain.sequence}:${chain.hash}` } };
    },
  },
  { file: "docs/automations.md", text: '"templateIds"', prepare: prepareAutomation },
  {
    file: "docs/automations.md",
    text: "usage-corrections",
    prepare: async (instance) => ({ ids: { run: await startRun(instance) } }),
  },
  ...["claims/accept", "-X POST $S/v1/bootstrap/claims"].map((text) => ({
    file: "docs/bootstrap.md",
    text,
    async prepare({ ask }: Instance) {
      const { key, claim } = await ask("/v1/bootstrap/workspace", { name: "Nightly triage" }, {});
      return { key, ids: { sbl: claim.token } };
    },
  })),
  {
    file: "docs/cli.md",
    text: "--email ada@example.com",
    async prepare({ signIn }) {
      await signIn("ada@example.com", "acme");
      return { password, env: { SIGNALBOX_URL: "", SIGNALBOX_API_KEY: "" } };
    },
  },
  {
    file: "docs/cli.md",
    text: "signalbox automations create",
    async prepare(instance) {
      startRunner(instance);
      return prepareAutomation(instance);
    },
  },
  {
    file: "docs/cli.md",
    text: "signalbox runs retry",
    async prepare(instance) {
      startRunner(instance);
      const lines = [{ command: "runs cancel", ids: { run: await startRun(instance) } }];
      return { ids: { run: await queueRun(instance) }, lines };
    },
  },
  {
    file: "docs/cli.md",
    text: "templates show weekly-report",
    async prepare(instance) {
      await createTemplate(instance, "Weekly report", "weekly-report");
      return {};
    },
  },
  {
    file: "docs/cli.md",
    text: "signalbox mail --last",
    async prepare(instance) {
      await instance.signIn("ada@example.com");
      return { ids: { mail: (await readMails(instance))[0]!.id } };
    },
  },
  {
    file: "docs/cli.md",
    text: "two-factor reset",
    async prepare({ ask, signIn }) {
      const auth = bearer(await signIn("bruno@northwind.example"));
      const { secret } = await ask("/v1/me/two-factor", {}, auth);
      await ask("/v1/me/two-factor/confirm", { code: codeAt(secret, stepAt(Date.now())) }, auth);
      return { texts: { "ada@example.com": "bruno@northwind.example" } };
    },
  },
  {
    file: "docs/cli.md",
    text: "signalbox demo --remove",
    async prepare({ emptyFolder }) {
      // The first two lines are alternatives: each needs an instance that nobody uses.
      const lines = [{ command: "--seed 42", env: { DATA_DIR: copyFolder(emptyFolder) } }];
      return { env: { DATA_DIR: copyFolder(emptyFolder) }, lines };
    },
  },
  {
    file: "docs/identity.md",
    text: '"slug":"acme"',
    prepare: async ({ signIn }) => ({ token: await signIn("ada@example.com") }),
  },
  ...['"confirm":"acme"', "/v1/invitations", "/v1/roles", "/v1/api-keys", "/api/auth/reauthenticate"].map(
    (text) => ({ file: "docs/identity.md", text, prepare: withAda }),
  ),
  {
    file: "docs/identity.md",
    text: "transfer-ownership",
    async prepare({ ask }) {
      // The lines are examples of what can be done to a member: each has a member of its own.
      const { items } = await ask("/v1/members?role=member");
      const [changed, removed, owner] = items.map(({ id }: { id: string }) => id);
      const line = (command: string, mem: string) => ({ command, ids: { mem } });
      return {
        lines: [line("-X PATCH", changed), line("-X DELETE", removed), line("transfer-ownership", owner)],
      };
    },
  },
  {
    file: "docs/identity.md",
    text: "/v1/me/two-factor/confirm",
    prepare: async ({ signIn }) => ({ token: await signIn("bruno@northwind.example") }),
  },
  {
    file: "docs/identity.md",
    text: "deleteOrganizations",
    prepare: async ({ signIn }) => ({ token: await signIn("ada@acme.example", "my-own") }),
  },
  { file: "docs/notifications.md", text: "hooks.example.com", prepare: createEndpoint },
  {
    file: "docs/notifications.md",
    text: "/deliveries?limit=1",
    prepare: async (instance) => ({
      ...(await createEndpoint(instance)),
      // The delivery is sent by a job, some milliseconds after the request.
      lines: [{ command: "/deliveries?limit=1", until: '"responseStatus":200' }],
    }),
  },
  { file: "docs/notifications.md", text: "rotate-secret", prepare: createEndpoint },
  {
    file: "docs/oauth-providers.md",
    text: '"clientSecret":"…"',
    prepare: async () => ({
      texts: { "Iv1.…": "Iv1.0123456789abcdef", '"clientSecret":"…"': '"clientSecret":"0123456789"' },
    }),
  },
  {
    file: "docs/oauth-providers.md",
    text: "connect/claim",
    async prepare(instance) {
      const { providerId, code } = await connectAccount(instance, { claim: true });
      return { texts: { github: providerId, "7KQ4M-2XWPD": code } };
    },
  },
  {
    file: "docs/oauth-providers.md",
    text: "/grants",
    async prepare(instance) {
      const { connectionId } = await connectAccount(instance, { query: "?shared=true" });
      return { ids: { ocn: connectionId } };
    },
  },
  {
    file: "docs/observability.md",
    text: "jq -c",
    async prepare({ server, home }) {
      writeFileSync(join(home, "signalbox.log"), server.output.stderr);
      // The instance runs already; this is its log.
      return { texts: { "npm start 2>signalbox.log": "" } };
    },
  },
  {
    file: "docs/operations.md",
    text: "/etc/signalbox.secret",
    prepare: async ({ home }) => ({ texts: { "/etc/signalbox.secret": join(home, "signalbox.secret") } }),
  },
  ...["./nightly.sh", "--concurrency 4", "exec my-agent", "capability_search"].map((text) => ({
    file: "docs/runner.md",
    text,
    prepare: withRun,
  })),
  { file: "docs/runner.md", text: "--templates code-review", prepare: prepareAutomation },
  ...guidePreparations,
];
