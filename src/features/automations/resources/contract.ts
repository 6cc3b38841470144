import { z } from "zod";

const mostOfAKind = 20;
const ids = (what: string) =>
  z
    .array(z.string().max(160))
    .max(mostOfAKind)
    .transform((given) => [...new Set(given)])
    .describe(`${what}, by id. At most ${mostOfAKind}.`);

/** What an automation gives its runs to work with. */
export const resourceIds = {
  templateIds: ids("The templates whose files its runs get"),
  connectionIds: ids("The connections whose tokens its runs may get; its owner must be allowed to use them"),
};

export const NamedTemplate = z
  .strictObject({
    id: z.string(),
    slug: z.string().nullable(),
    name: z.string().nullable().describe("Null: the template is gone."),
  })
  .meta({ id: "AutomationTemplate" });

export const NamedConnection = z
  .strictObject({
    id: z.string(),
    providerId: z.string().nullable().describe("Null: the connection has ended."),
    account: z.string().nullable().describe("The label it was made under. Null: the connection has ended."),
  })
  .meta({ id: "AutomationConnection" });

export const AssignedTemplate = z
  .strictObject({ id: z.string(), slug: z.string(), name: z.string(), version: z.int() })
  .meta({ id: "AutomationRunTemplate" });
export type AssignedTemplate = z.output<typeof AssignedTemplate>;

export const AssignedConnection = z
  .strictObject({
    id: z.string(),
    providerId: z
      .string()
      .describe("Where tokens are asked for: `POST /v1/oauth-providers/{providerId}/token`."),
    account: z.string().describe("The label it was made under."),
    outsideAccount: z
      .strictObject({ subject: z.string(), name: z.string().nullable() })
      .nullable()
      .describe("Which account at the provider; null: it does not say."),
    shared: z.boolean().describe("The organization's, for those who were given it."),
    status: z.enum(["connected", "needs_reconnect"]),
    scopes: z.array(z.string()).describe("What the account granted."),
  })
  .meta({ id: "AutomationRunConnection" });
export type AssignedConnection = z.output<typeof AssignedConnection>;
