import { z } from "zod";
import { lineOfText, route, signedIn } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { User } from "../auth/index.ts";

const tag = "Users";

const Membership = z
  .strictObject({
    organizationId: idSchema("org"),
    organizationName: z.string(),
    organizationSlug: z.string(),
    memberId: idSchema("mem"),
    role: z.string(),
    roleName: z.string().describe("The name of the role, for people."),
    suspendedAt: z
      .int()
      .nullable()
      .describe(
        "When the organization was suspended, in milliseconds since 1970. Null when it is not suspended.",
      ),
    isDemo: z.boolean().describe("True for the workspace that `signalbox demo` made up."),
  })
  .meta({ id: "UserMembership" });

const Me = z
  .strictObject({
    user: User,
    twoFactorEnabled: z.boolean(),
    credential: z
      .enum(["session", "key", "mcp", "mcp_client"])
      .describe("The kind of credential of this request."),
    scopes: z
      .array(z.string())
      .nullable()
      .describe("The scopes of an MCP token or MCP client. Null for other credentials."),
    activeOrganizationId: idSchema("org").nullable(),
    permissions: z.array(z.string()).describe("What this credential may do in the active organization."),
    organizations: z.array(Membership),
    isInstanceAdmin: z
      .boolean()
      .describe(
        "True when this session may use the routes of the administration. Always false for keys, tokens and sessions of single sign-on.",
      ),
  })
  .meta({ id: "Me" });
export type Me = z.output<typeof Me>;

export const readMe = route({
  method: "get",
  path: "/v1/me",
  tag,
  summary: "Read my account, my organization and my permissions",
  description: "Also tells whether a token of an MCP client is valid.",
  access: signedIn({ credentials: ["session", "key", "mcp", "mcp_client"] }),
  replies: { 200: Me },
});

export const changeMe = route({
  method: "patch",
  path: "/v1/me",
  tag,
  summary: "Change my profile",
  description:
    "Changes the name that others see, in every organization. The e-mail address cannot be changed here. The name of an account that is used only with single sign-on follows the identity provider. An API key acts in one organization, so it can do this only for a person who belongs to no other.",
  access: signedIn({ account: true }),
  body: z.strictObject({ name: lineOfText(120) }),
  replies: { 200: z.strictObject({ user: User }) },
  errors: {
    403: "`session_required`: the person of the API key also belongs to another organization.",
    409: "`managed_by_scim`: the directory of an organization decides the name.",
  },
});

export const switchOrganization = route({
  method: "post",
  path: "/v1/me/active-organization",
  tag,
  summary: "Choose the organization this session acts in",
  description: "Later requests of this session use that organization, unless they name another one.",
  access: signedIn({ credentials: ["session"], account: true }),
  body: z.strictObject({ organizationId: z.string().min(1).max(100) }),
  replies: { 200: z.strictObject({ activeOrganizationId: idSchema("org") }) },
  errors: {
    403: "`organization_suspended`: an administrator of the instance suspended the organization.",
    404: "`organization_not_found`: you belong to no organization with this id.",
  },
});

export const removeMe = route({
  method: "delete",
  path: "/v1/me",
  tag,
  summary: "Delete my account",
  description:
    "Ends every session and key, and leaves every organization. Organizations without other members are deleted, if `deleteOrganizations` names each of them. This cannot be undone.",
  access: signedIn({ credentials: ["session"], fresh: true, account: true }),
  body: z.strictObject({
    confirm: z.string().max(320).describe("The e-mail address of the account, as a confirmation."),
    deleteOrganizations: z
      .array(z.string().max(100))
      .max(500)
      .optional()
      .describe("The slugs of the organizations that are deleted with the account."),
  }),
  replies: { 204: null },
  errors: {
    409: "`sole_owner`: the listed `organizations` need another owner first. `organization_suspended`: the listed `organizations` would be deleted, and are suspended. `organizations_would_be_deleted`: name each of the listed `organizations` in `deleteOrganizations`. `break_glass_owner`: an organization relies on this account to sign in without single sign-on. Name another owner there first.",
  },
});
