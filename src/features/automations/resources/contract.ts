import { z } from "zod";

const maxPerKind = 20;
const ids = (what: string) =>
  z
    .array(z.string().max(160))
    .max(maxPerKind)
    .transform((given) => [...new Set(given)])
    .describe(`${what} At most ${maxPerKind}.`);

/** The templates and connections that an automation gives to its runs. */
export const resourceIds = {
  templateIds: ids("The ids of the templates whose files its runs get."),
  connectionIds: ids(
    "The ids of the connections whose tokens its runs can get. The automation's owner must be allowed to use them.",
  ),
};

export const NamedTemplate = z
  .strictObject({
    id: z.string(),
    slug: z.string().nullable(),
    name: z.string().nullable().describe("Null when the template does not exist any more."),
  })
  .meta({ id: "AutomationTemplate" });

export const NamedConnection = z
  .strictObject({
    id: z.string(),
    providerId: z.string().nullable().describe("Null when the connection has ended."),
    account: z
      .string()
      .nullable()
      .describe("The label of the connection. Null when the connection has ended."),
  })
  .meta({ id: "AutomationConnection" });

export const AssignedTemplate = z
  .strictObject({ id: z.string(), slug: z.string(), name: z.string(), version: z.int() })
  .meta({ id: "AutomationRunTemplate" });
export type AssignedTemplate = z.output<typeof AssignedTemplate>;

export const AssignedConnection = z
  .strictObject({
    id: z.string(),
    providerId: z.string().describe("Tokens come from `POST /v1/oauth-providers/{providerId}/token`."),
    account: z.string().describe("The label of the connection."),
    outsideAccount: z
      .strictObject({ subject: z.string(), name: z.string().nullable() })
      .nullable()
      .describe("The account at the provider. Null when the provider does not name it."),
    shared: z
      .boolean()
      .describe("True when the connection belongs to the organization and is granted to members."),
    status: z.enum(["connected", "needs_reconnect"]),
    scopes: z.array(z.string()).describe("The scopes that the provider granted."),
  })
  .meta({ id: "AutomationRunConnection" });
export type AssignedConnection = z.output<typeof AssignedConnection>;
