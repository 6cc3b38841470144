import { z } from "zod";
import { definePage, operator, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";

const tag = "Admin reporting";

/** How many sessions of a person are looked at, newest first. */
export const maxSessions = 10;

const AdminUser = z
  .strictObject({
    id: idSchema("usr"),
    email: z.string(),
    name: z.string(),
    emailVerified: z.boolean(),
    memberships: z.int().describe("In how many organizations the person is a member."),
    sessions: z.int().describe(`How many of the ${maxSessions} newest sessions have not expired.`),
    lastSeenAt: z
      .int()
      .nullable()
      .describe(
        `When one of the ${maxSessions} newest sessions was last used, in milliseconds since 1970. Null when none is left.`,
      ),
    secondFactors: z.array(z.enum(["authenticator", "passkey"])).describe("The kinds of second factors."),
    createdAt: z.int(),
  })
  .meta({ id: "AdminUser" });
export type AdminUser = z.output<typeof AdminUser>;

const params = z.strictObject({ id: z.string() });
const sessionsEnded = z.int().describe("How many sessions ended.");

export const listQuery = z.strictObject({
  ...pageQuery.shape,
  email: z.string().trim().toLowerCase().min(1).max(320).optional().describe("The beginning of the address."),
  sort: z.enum(["newest", "email"]).default("newest").describe("The order of the list."),
});

export const list = route({
  method: "get",
  path: "/v1/admin/users",
  tag,
  summary: "List all accounts",
  description: "Newest first, or in the order of addresses. Users of unclaimed workspaces are not listed.",
  access: operator(),
  query: listQuery,
  replies: { 200: definePage(AdminUser).meta({ id: "AdminUserPage" }) },
});

export const signOut = route({
  method: "post",
  path: "/v1/admin/users/{id}/sign-out",
  tag,
  summary: "Sign a person out everywhere",
  description: "Ends every session of the account. API keys and tokens stay: they belong to organizations.",
  access: operator({ fresh: true }),
  params,
  replies: { 200: z.strictObject({ sessionsEnded }) },
});

export const resetSecondFactor = route({
  method: "post",
  path: "/v1/admin/users/{id}/reset-second-factor",
  tag,
  summary: "Remove the second factors of a person",
  description:
    "For a person who lost the device and the backup codes. Removes the authenticator app, the backup codes and all passkeys, ends every session, and tells the person by mail. It is recorded in the log of the instance and in the audit logs of the person's organizations.",
  access: operator({ fresh: true }),
  params,
  replies: {
    200: z.strictObject({
      sessionsEnded,
      passkeysRemoved: z.int().describe("How many passkeys were removed."),
    }),
  },
  errors: {
    409: "`no_second_factor`: the account has none. `own_account`: change your own second factor in your account.",
  },
});
