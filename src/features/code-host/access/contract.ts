import { z } from "zod";

const visibleCharacters = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\x21-\x7e]+$/, "Visible ASCII characters only.");
/** Ids of code hosts are numbers. People send them as numbers or as text. */
export const decimalId = z.union([
  z.string().regex(/^\d{1,20}$/, "A number, or its digits as text."),
  z.int().positive().transform(String),
]);

export const AccessInput = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("none") }).describe("Anybody may read the repository."),
    z.strictObject({
      kind: z.literal("token"),
      token: visibleCharacters(4_000).describe("It is never shown again."),
      username: visibleCharacters(200)
        .regex(/^[^:]+$/, "Without a colon.")
        .optional()
        .describe(
          "The username for the token, if the code host needs a certain one. When omitted, it follows from the kind of code host.",
        ),
    }),
    z.strictObject({
      kind: z.literal("github_app"),
      appId: z
        .union([visibleCharacters(40), z.int().positive().transform(String)])
        .describe("The App ID or client ID."),
      privateKey: z.string().min(1).max(20_000).describe("The PEM file's text. Shown nowhere again."),
      installationId: decimalId.optional().describe("Defaults to the installation of the connector."),
    }),
  ])
  .meta({ id: "ConnectorAccessInput" });
export type AccessInput = z.output<typeof AccessInput>;

export const Access = z
  .strictObject({
    kind: z.enum(["none", "token", "github_app"]),
    username: z.string().optional(),
    appId: z.string().optional(),
    installationId: z.string().optional(),
  })
  .describe("How the repository is read, without secrets.")
  .meta({ id: "ConnectorAccess" });
export type Access = z.output<typeof Access>;
