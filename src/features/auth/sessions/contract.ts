import { z } from "zod";
import { definePage, pageQuery, route, signedIn } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";

const tag = "Users";

const UserSession = z
  .strictObject({
    id: idSchema("ses"),
    current: z.boolean().describe("Whether it is the session of this request."),
    device: z
      .string()
      .describe("The browser and system that the user agent names, such as `Firefox on Windows`."),
    userAgent: z.string(),
    address: z.string().nullable().describe("The network address it was opened from."),
    signedInBy: z.enum(["password", "passkey", "sso"]),
    signedInAt: z
      .int()
      .nullable()
      .describe(
        "When the person last proved their identity, in milliseconds since 1970. Routes that need a fresh session check it. Null: the identity provider does not say, so the session is never fresh.",
      ),
    lastUsedAt: z
      .int()
      .describe("When it was last used, in milliseconds since 1970. Accurate to some seconds."),
    expiresAt: z.int().describe("Extended with each use."),
    createdAt: z.int(),
  })
  .meta({ id: "UserSession" });
export type UserSession = z.output<typeof UserSession>;

export const list = route({
  method: "get",
  path: "/v1/me/sessions",
  tag,
  summary: "List my sessions",
  description:
    "Every session of the person, newest first, with the device and address it was opened from. A session of single sign-on sees and ends only those of the same organization.",
  access: signedIn({ credentials: ["session"] }),
  query: pageQuery,
  replies: { 200: definePage(UserSession).meta({ id: "UserSessionPage" }) },
});

export const end = route({
  method: "delete",
  path: "/v1/me/sessions/{id}",
  tag,
  summary: "Sign out a session at once",
  description: "The session stops working at once, in every process. It may be the one that calls.",
  access: signedIn({ credentials: ["session"] }),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
});

export const endOthers = route({
  method: "post",
  path: "/v1/me/sessions/end-others",
  tag,
  summary: "Sign out all other sessions",
  description: "Ends every session of the person except the current one.",
  access: signedIn({ credentials: ["session"] }),
  replies: { 200: z.strictObject({ ended: z.int() }) },
});
