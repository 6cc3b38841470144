import { sql } from "../src/platform/db/index.ts";
import type { Person, Reply, TestServer } from "./harness.ts";
import { testPassword } from "./passwords.ts";

/** The address in ADMIN_EMAILS of test servers with an administrator. */
const adminEmail = "root@instance.example";
export const adminEnv = { ADMIN_EMAILS: adminEmail };

/** Somebody who administers an instance that was started with `adminEnv`. */
export async function createAdmin(server: TestServer): Promise<Person> {
  const credentials = { email: adminEmail, password: testPassword };
  const { status, body } = await server.call("/api/auth/sign-up/email", {
    body: { ...credentials, name: "Root" },
  });
  if (status !== 200) throw new Error(`sign-up failed: ${status} ${JSON.stringify(body)}`);
  await server.platform.db.run(sql`update users set email_verified = true where id = ${body.user.id}`);
  return {
    ...credentials,
    userId: body.user.id,
    token: body.token,
    auth: { authorization: `Bearer ${body.token}` },
  };
}

/** Calls a route of the administration. A body makes it a POST. */
export const callAdmin = (
  server: TestServer,
  { auth }: Pick<Person, "auth">,
  path: string,
  body?: object,
  method?: string,
): Promise<Reply> =>
  server.call(`/v1/admin/${path}`, {
    headers: auth,
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  });

export const suspend = (server: TestServer, admin: Pick<Person, "auth">, orgId: string) =>
  callAdmin(server, admin, `organizations/${orgId}/suspend`, { reason: "Not paid" });

export const restore = (server: TestServer, admin: Pick<Person, "auth">, orgId: string) =>
  callAdmin(server, admin, `organizations/${orgId}/restore`, undefined, "POST");

/** Makes somebody an administrator of an instance that runs already. */
export async function makeAdmin(server: TestServer, { userId, email }: Pick<Person, "userId" | "email">) {
  await server.platform.db.run(sql`update users set email_verified = true where id = ${userId}`);
  (server.platform.config.adminEmails as string[]).push(email);
}
