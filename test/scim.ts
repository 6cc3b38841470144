import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import type { CallOptions, Reply, TestServer, Workspace } from "./harness.ts";

export interface Directory {
  connectorId: string;
  token: string;
  auth: { authorization: string };
  /** A call below /scim/v2. */
  call(path: string, options?: CallOptions): Promise<Reply>;
  createUser(name: string, more?: object): Promise<Reply>;
  createGroup(displayName: string, members?: string[], more?: object): Promise<Reply>;
  patch(path: string, ...operations: object[]): Promise<Reply>;
}

/** Connects a directory to an organization. */
export async function connectDirectory(server: TestServer, { owner }: Workspace): Promise<Directory> {
  const { status, body } = await server.call("/v1/scim/token", { body: {}, headers: owner.auth });
  if (status !== 201) throw new Error(`token failed: ${status} ${JSON.stringify(body)}`);
  return { connectorId: body.connector.id, token: body.token, ...useToken(server, body.token) };
}

export function useToken(server: TestServer, token: string): Omit<Directory, "connectorId" | "token"> {
  const auth = { authorization: `Bearer ${token}` };
  const call: Directory["call"] = (path, { headers, ...options } = {}) =>
    server.call(`/scim/v2${path}`, { ...options, headers: { ...auth, ...headers } });
  return {
    auth,
    call,
    createUser: (name, more = {}) => call("/Users", { body: { ...userBody(name), ...more } }),
    createGroup: (displayName, members = [], more = {}) =>
      call("/Groups", {
        body: {
          schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
          displayName,
          members: members.map((value) => ({ value })),
          ...more,
        },
      }),
    patch: (path, ...Operations) =>
      call(path, {
        method: "PATCH",
        body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations },
      }),
  };
}

/** A user as directories send it. The name is an address. */
export const userBody = (userName: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  userName,
  name: { givenName: "Grace", familyName: "Hopper" },
  emails: [{ value: userName, type: "work", primary: true }],
  active: true,
});

/** Makes a domain one of the organization's verified domains, without its DNS record. */
export const verifyDomain = (server: TestServer, orgId: string, domain: string) =>
  server.platform.db.run(sql`
    insert into sso_domains (id, org_id, domain, challenge, verified_at)
    values (${newId("dom")}, ${orgId}, ${domain}, 'test', now())`);
