import { z } from "zod";
import { definePage, pageQuery, route, signedIn } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";

const tag = "Users";

const UserSession = z
  .strictObject({
    id: idSchema("ses"),
    current: z.boolean().describe("The one this call was made with."),
    device: z.string().describe("As far as its user agent tells: `Firefox on Windows`."),
    userAgent: z.string(),
    address: z.string().nullable().describe("The network address it was opened from."),
    signedInBy: z.enum(["password", "sso"]),
    signedInAt: z.int().describe("When it last proved who it is: what fresh routes look at."),
    lastUsedAt: z.int().describe("To within some seconds."),
    expiresAt: z.int().describe("Moves on with its use."),
    createdAt: z.int(),
  })
  .meta({ id: "UserSession" });
export type UserSession = z.output<typeof UserSession>;

export const list = route({
  method: "get",
  path: "/v1/me/sessions",
  tag,
  summary: "Where I am signed in",
  description: "Every session of the person, newest first, with the device and address it was opened from.",
  access: signedIn({ credentials: ["session"] }),
  query: pageQuery,
  replies: { 200: definePage(UserSession).meta({ id: "UserSessionPage" }) },
});

export const end = route({
  method: "delete",
  path: "/v1/me/sessions/{id}",
  tag,
  summary: "Sign out there, at once",
  description: "The session stops working at once, in every process. It may be the one that calls.",
  access: signedIn({ credentials: ["session"] }),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
});

export const endOthers = route({
  method: "post",
  path: "/v1/me/sessions/end-others",
  tag,
  summary: "Sign out everywhere but here",
  description: "Ends every session of the person except the one that calls.",
  access: signedIn({ credentials: ["session"] }),
  replies: { 200: z.strictObject({ ended: z.int() }) },
});
