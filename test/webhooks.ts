/** Connectors, and the deliveries that code hosts send about them. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { type Db, sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import type { Keyring } from "../src/platform/keyring.ts";

export interface TestConnector {
  id: string;
  orgId: string;
  secret: string;
  secretId: string;
  repository: string;
  ref: string;
}

interface ConnectorOptions {
  id?: string;
  repository?: string;
  ref?: string;
  codehost?: string;
  installationId?: string;
  cloneUrl?: string;
  status?: string;
  syncedCommit?: string;
  secret?: string;
}

let repositories = 0;

/** A connector of an organization, with one secret. */
export async function insertConnector(
  { db, keyring }: { db: Db; keyring: Keyring },
  orgId: string,
  options: ConnectorOptions = {},
): Promise<TestConnector> {
  const {
    repository = `Acme/Playbook-${++repositories}`,
    ref = "refs/heads/main",
    codehost = "github",
    secret = `whsec_${randomBytes(32).toString("base64")}`,
    id = newId("con"),
  } = options;
  await db.run(sql`
    insert into connectors (id, org_id, name, codehost, repository, repository_key, clone_url, ref, installation_id,
      access_kind, status, synced_commit, created_by)
    values (${id}, ${orgId}, ${repository}, ${codehost}, ${repository}, ${repository.toLowerCase()},
      ${options.cloneUrl ?? `https://github.com/${repository}.git`}, ${ref}, ${options.installationId ?? null}, 'none',
      ${options.status ?? "active"}, ${options.syncedCommit ?? null}, 'test')`);
  const secretId = await addSecret({ db, keyring }, orgId, id, secret);
  return { id, orgId, secret, secretId, repository, ref };
}

export async function addSecret(
  { db, keyring }: { db: Db; keyring: Keyring },
  orgId: string,
  connectorId: string,
  secret: string,
): Promise<string> {
  const id = newId("csec");
  const sealed = keyring.seal(secret, {
    table: "connector_secrets",
    row: id,
    column: "secret",
    organization: orgId,
  });
  await db.run(sql`
    insert into connector_secrets (id, org_id, connector_id, secret)
    values (${id}, ${orgId}, ${connectorId}, ${sealed})`);
  return id;
}

export const commit = () => randomBytes(20).toString("hex");

/** The body of a push from GitHub, padded to about `bytes`. */
export function pushBody(
  { repository, ref = "refs/heads/main" }: { repository: string; ref?: string },
  head = commit(),
  { bytes = 0, ...more }: { bytes?: number } & Record<string, unknown> = {},
): string {
  const body = {
    ref,
    before: commit(),
    after: head,
    repository: { id: 1, full_name: repository, private: true, owner: { login: repository.split("/")[0] } },
    pusher: { name: "ada" },
    commits: [{ id: head, message: "A change", added: [], removed: [], modified: ["templates/triage.md"] }],
    ...more,
  };
  const text = JSON.stringify(body);
  return JSON.stringify({ ...body, padding: "x".repeat(Math.max(0, bytes - text.length - 13)) });
}

const hmac = (secret: string | Buffer, body: string | Buffer) =>
  createHmac("sha256", secret).update(body).digest();

interface DeliveryOptions {
  event?: string;
  id?: string;
}

/** The headers that each code host would send with this body. */
export const signedHeaders = {
  github: (
    secret: string,
    body: string | Buffer,
    { event = "push", id = randomUUID() }: DeliveryOptions = {},
  ) => ({
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/044aadd",
    "x-github-delivery": id,
    "x-github-event": event,
    "x-github-hook-id": "292430182",
    "x-hub-signature": `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`,
    "x-hub-signature-256": `sha256=${hmac(secret, body).toString("hex")}`,
  }),
  gitea: (
    secret: string,
    body: string | Buffer,
    { event = "push", id = randomUUID() }: DeliveryOptions = {},
  ) => ({
    ...signedHeaders.github(secret, body, { event, id }),
    "user-agent": "Go-http-client/1.1",
    "x-gitea-delivery": id,
    "x-gitea-event": event,
    "x-gitea-event-type": event,
    "x-gitea-signature": hmac(secret, body).toString("hex"),
    "x-gogs-delivery": id,
    "x-gogs-event": event,
    "x-gogs-signature": hmac(secret, body).toString("hex"),
  }),
  forgejo: (
    secret: string,
    body: string | Buffer,
    { event = "push", id = randomUUID() }: DeliveryOptions = {},
  ) => ({
    ...signedHeaders.gitea(secret, body, { event, id }),
    "x-forgejo-delivery": id,
    "x-forgejo-event": event,
    "x-forgejo-event-type": event,
    "x-forgejo-signature": hmac(secret, body).toString("hex"),
  }),
  gitlab: (
    secret: string,
    body: string | Buffer,
    { event = "Push Hook", id = randomUUID() }: DeliveryOptions = {},
  ) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
    const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
    return {
      "content-type": "application/json",
      "user-agent": "GitLab/19.1.0",
      "idempotency-key": id,
      "x-gitlab-event": event,
      "x-gitlab-event-uuid": randomUUID(),
      "x-gitlab-webhook-uuid": randomUUID(),
      "x-gitlab-instance": "https://gitlab.example.com",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${hmac(key, signed).toString("base64")}`,
    };
  },
  gitlabToken: (
    secret: string,
    _body: unknown,
    { event = "Push Hook", id = randomUUID() }: DeliveryOptions = {},
  ) => ({
    "content-type": "application/json",
    "user-agent": "GitLab/17.5.1",
    "idempotency-key": id,
    "x-gitlab-event": event,
    "x-gitlab-event-uuid": randomUUID(),
    "x-gitlab-token": secret,
  }),
  bitbucket: (
    secret: string,
    body: string | Buffer,
    { event = "repo:push", id = randomUUID() }: DeliveryOptions = {},
  ) => ({
    "content-type": "application/json",
    "user-agent": "Bitbucket-Webhooks/2.0",
    "x-event-key": event,
    "x-hook-uuid": randomUUID(),
    "x-request-uuid": id,
    "x-attempt-number": "1",
    "x-hub-signature": `sha256=${hmac(secret, body).toString("hex")}`,
  }),
};
