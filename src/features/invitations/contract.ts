import { z } from "zod";
import { definePage, linkQuery, open, pageQuery, route, signedIn } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { Member } from "../members/index.ts";
import { Organization } from "../organizations/index.ts";
import { can } from "../permissions/index.ts";

const tag = "Invitations";

const statuses = ["pending", "accepted", "cancelled", "expired"] as const;

const Invitation = z
  .strictObject({
    id: idSchema("inv"),
    email: z.string(),
    role: z.string(),
    roleName: z.string(),
    teamIds: z.array(z.string()),
    status: z.enum(statuses),
    invitedBy: idSchema("mem")
      .nullable()
      .describe(
        "The member who sent it. Null when that member has left; then it must be sent again before it can be accepted.",
      ),
    inviterName: z.string(),
    expiresAt: z.int(),
    sentAt: z.int(),
    createdAt: z.int(),
  })
  .meta({ id: "Invitation" });
export type Invitation = z.output<typeof Invitation>;

const sent = z.strictObject({
  invitation: Invitation,
  token: z.string().describe("Shown once, to deliver the invitation yourself."),
});

export const listQuery = z.strictObject({ ...pageQuery.shape, status: z.enum(statuses).optional() });

export const list = route({
  method: "get",
  path: "/v1/invitations",
  tag,
  summary: "List the invitations of the organization",
  description: "Newest first, with the state of each.",
  access: can("members:invite"),
  query: listQuery,
  replies: { 200: definePage(Invitation).meta({ id: "InvitationPage" }) },
});

const refused = {
  403: "`email_not_verified`: on an instance that sends mails, confirm your own e-mail address first.",
  409: "`already_member`: the person is a member. `member_deactivated`: an admin can reactivate them. `member_deprovisioned`: assign them in the directory again. `email_domain_not_allowed`: `domains` lists the allowed domains.",
  429: "`rate_limited`: 3,000 mails a day for one organization or one network, 500 for one person.",
};

export const create = route({
  method: "post",
  path: "/v1/invitations",
  tag,
  summary: "Invite somebody by e-mail",
  description:
    "Valid for 7 days. Inviting an address again replaces its open invitation. The inviter cannot give more permissions than they have. Inviting an owner, or somebody with permissions that only owners have, needs a session of the last 15 minutes.",
  access: can("members:invite"),
  body: z.strictObject({
    email: z.email().max(320),
    role: z.string().min(1).max(60),
    teamIds: z.array(z.string().max(60)).max(50).optional().describe("Needs `teams:manage`."),
  }),
  replies: { 201: sent },
  errors: refused,
});

const params = z.strictObject({ id: z.string() });

export const cancel = route({
  method: "post",
  path: "/v1/invitations/{id}/cancel",
  tag,
  summary: "Cancel an invitation",
  description: "Its link stops working at once. An accepted invitation cannot be cancelled.",
  access: can("members:invite"),
  params,
  replies: { 200: z.strictObject({ invitation: Invitation }) },
  errors: { 409: "`invitation_accepted`: remove the member instead." },
});

export const resend = route({
  method: "post",
  path: "/v1/invitations/{id}/resend",
  tag,
  summary: "Send an invitation again, for 7 more days",
  description: "Sends a new link, and the previous link becomes invalid. The caller becomes its sender.",
  access: can("members:invite"),
  params,
  replies: { 200: sent },
  errors: {
    ...refused,
    409: `\`invitation_accepted\`, \`invitation_cancelled\`: create a new invitation. ${refused[409]}`,
  },
});

const token = z.string().min(1).max(200);

export const preview = route({
  method: "get",
  path: "/v1/invitations/preview",
  tag,
  summary: "Preview an invitation by its token",
  description:
    "Shows who invites the person to which organization, so that the person can decide before signing in.",
  access: open,
  // A whole company opens its invitations behind one address.
  limit: { attempts: 3_000, perSeconds: 3600 },
  query: z.strictObject({ token }),
  replies: {
    200: z.strictObject({
      invitation: z
        .strictObject({
          organizationName: z.string(),
          email: z.string().describe("The e-mail address, mostly hidden."),
          role: z.string(),
          roleName: z.string(),
          inviterName: z.string(),
          status: z.enum(statuses),
          expiresAt: z.int(),
        })
        .meta({ id: "InvitationPreview" }),
    }),
  },
  errors: { 404: "`invitation_not_found`: the link is not complete, or was replaced by a newer one." },
});

export const accept = route({
  method: "post",
  path: "/v1/invitations/accept",
  tag,
  summary: "Accept an invitation",
  description:
    "Works once, for a person with the invited e-mail address. The organization becomes the session's active one.",
  access: signedIn({ credentials: ["session"] }),
  body: z.strictObject({ token }),
  replies: { 200: z.strictObject({ member: Member, organization: Organization }) },
  errors: {
    403: "`wrong_address`: sign in with the address that was invited. `email_not_verified`: the organization accepts only some domains, so confirm your address first.",
    404: "`invitation_not_found`: the link is not complete, or was replaced by a newer one.",
    409: "`invitation_accepted`, `invitation_cancelled`, `invitation_expired`, `invitation_withdrawn`: ask for a new invitation. `already_member`. `member_deactivated`: an admin can reactivate you. `member_deprovisioned`: ask for the directory to assign you again. `email_domain_not_allowed`.",
  },
});

export const page = route({
  method: "get",
  path: "/invitation",
  tag,
  summary: "Open the page behind the link in the invitation mail",
  description:
    "Shows who invites the person to which organization, and lets them sign in or sign up. When the link is not valid: 400, and a page that explains what to do.",
  access: open,
  limit: { attempts: 3_000, perSeconds: 3600 },
  query: linkQuery,
  raw: "text/html",
  replies: { 200: z.string() },
});
