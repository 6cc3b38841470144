import { z } from "zod";
import { lineOfText, linkQuery, open, route, signedIn } from "../../platform/http/index.ts";
import { ApiKey } from "../api-keys/index.ts";
import { Member } from "../members/index.ts";
import { Organization } from "../organizations/index.ts";
import { can } from "../permissions/index.ts";

const tag = "Bootstrap";

const Claim = z
  .strictObject({
    url: z.string().describe("For a person. The person who opens it and signs in becomes the owner."),
    token: z.string().describe("The token in the link, for programs."),
    expiresAt: z.int(),
  })
  .meta({ id: "Claim" });

export const create = route({
  method: "post",
  path: "/v1/bootstrap/workspace",
  tag,
  summary: "Create a workspace for an agent that has no account",
  description:
    "The workspace is deleted after 7 days unless a person claims it. Its key can read the organization, create automations and report their runs, and nothing else.",
  access: open,
  limit: { attempts: 5, perSeconds: 3600 },
  body: z.strictObject({ name: lineOfText(120).default("Provisional workspace") }),
  replies: {
    201: z.strictObject({ organization: Organization, apiKey: ApiKey, key: z.string(), claim: Claim }),
  },
  errors: {
    403: "`bootstrap_closed`: the instance does not offer this (`BOOTSTRAP`). Create an account instead.",
    409: "`quota_exceeded`: this network has reached its limit of unclaimed workspaces.",
    503: "`service_unavailable`: the instance has reached its limit of unclaimed workspaces.",
  },
});

export const createClaim = route({
  method: "post",
  path: "/v1/bootstrap/claims",
  tag,
  summary: "Create a new claim link for a provisional workspace",
  description: "Valid for 24 hours. The previous link becomes invalid.",
  access: can("organization:read"),
  replies: { 201: z.strictObject({ claim: Claim }) },
  errors: { 409: "`already_claimed`: somebody owns this organization." },
});

const token = z.string().min(1).max(200);

export const acceptClaim = route({
  method: "post",
  path: "/v1/bootstrap/claims/accept",
  tag,
  summary: "Become the owner of a provisional workspace",
  description:
    "Automations and runs are kept. The agent's key is kept too, with the same few permissions, but acts for the owner: it can read the organization, create automations and report their runs. `endKey` revokes it. The organization becomes the session's active one.",
  access: signedIn({ credentials: ["session"], account: true }),
  body: z.strictObject({
    token,
    endKey: z
      .boolean()
      .optional()
      .describe(
        "Revokes the key of the agent, and runner tokens that were created with it. By default the key is kept.",
      ),
  }),
  replies: { 200: z.strictObject({ member: Member, organization: Organization }) },
  errors: {
    404: "`claim_not_found`: the link is not complete, was replaced by a newer one, or the workspace was deleted.",
    409: "`already_claimed`: somebody else has claimed it. `claim_expired`: ask the agent for a new link.",
  },
});

export const claimPage = route({
  method: "get",
  path: "/claim",
  tag,
  summary: "Open the page behind a claim link",
  description:
    "A page for the person who claims a workspace that an agent created. When the link is not valid: 400, and a page that explains what to do.",
  access: open,
  limit: { attempts: 3_000, perSeconds: 3600 },
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
});
