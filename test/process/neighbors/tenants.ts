import { randomUUID } from "node:crypto";
import type { Client } from "./client.ts";

/** An organization, and the headers with its owner's API key. */
export interface Tenant {
  orgId: string;
  auth: Record<string, string>;
}

/** Throws when the call fails: without its tenants every measurement is meaningless. */
export async function create(client: Client, path: string, auth: Record<string, string>, body: unknown) {
  const reply = await client.call(path, { method: "POST", headers: auth, body });
  if (reply.status < 200 || reply.status > 299)
    throw new Error(`POST ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

export async function createTenant(client: Client, name: string): Promise<Tenant> {
  const email = `${randomUUID()}@example.com`;
  const password = "correct horse battery";
  const { token } = await create(client, "/api/auth/sign-up/email", {}, { name, email, password });
  const session = { authorization: `Bearer ${token}` };
  const { organization } = await create(client, "/v1/organizations", session, { name });
  const { key } = await create(client, "/v1/api-keys", session, { name: "load" });
  return { orgId: organization.id, auth: { "x-api-key": key } };
}
