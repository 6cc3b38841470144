import { z } from "zod";
import { type Detail, Refusal } from "../../platform/errors.ts";

const errorUrn = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The error keywords of RFC 7644, table 9, and of RFC 9865 for cursors. */
const scimTypes = [
  "invalidFilter",
  "tooMany",
  "uniqueness",
  "mutability",
  "invalidSyntax",
  "invalidPath",
  "noTarget",
  "invalidValue",
  "invalidVers",
  "sensitive",
  "invalidCursor",
  "expiredCursor",
  "invalidCount",
] as const;
export type ScimType = (typeof scimTypes)[number];

/** The body of every refused SCIM request (RFC 7644, 3.12). `status` is text. */
export const ScimError = z
  .strictObject({
    schemas: z
      .array(z.literal(errorUrn))
      .describe("Always the schema of SCIM errors.")
      .meta({ examples: [[errorUrn]] }),
    status: z
      .string()
      .regex(/^\d{3}$/)
      .describe("The HTTP status, as text.")
      .meta({ examples: ["400"] }),
    scimType: z
      .enum(scimTypes)
      .optional()
      .describe("The kind of problem. Only some problems have one.")
      .meta({ examples: ["invalidValue"] }),
    detail: z
      .string()
      .describe("What is wrong, and what to do.")
      .meta({ examples: ["`userName` is required."] }),
  })
  .meta({ id: "ScimError" });
export type ScimError = z.infer<typeof ScimError>;

/** Refuses a request with a SCIM error keyword. */
export const scimError = (status: number, scimType: ScimType, detail: string) =>
  new Refusal(status, { error: scimType, scimType, message: detail });

export const invalidValue = (detail: string) => scimError(400, "invalidValue", detail);
export const invalidSyntax = (detail: string) => scimError(400, "invalidSyntax", detail);
export const invalidPath = (detail: string) => scimError(400, "invalidPath", detail);
export const invalidFilter = (detail: string) => scimError(400, "invalidFilter", detail);
export const immutable = (detail: string) => scimError(400, "mutability", detail);
export const noTarget = (detail: string) => scimError(400, "noTarget", detail);

const isScimType = (type: unknown): type is ScimType => (scimTypes as readonly unknown[]).includes(type);

/** Texts for refusals of the platform that have only a code. */
const details: Record<number, string> = {
  401: "The bearer token is missing or not valid. Copy the token of the SCIM connector into your directory.",
  404: "There is no such resource.",
  500: "The server failed. Try again later.",
};

/** The platform names the field that is wrong. Without a field, the body is not a message at all. */
const chooseScimType = ({ details }: Record<string, unknown>): ScimType =>
  (details as Detail[] | undefined)?.some(({ path }) => !path?.length) ? "invalidSyntax" : "invalidValue";

/** Renders any refusal as a SCIM error, for `protocol({ error })`. */
export function renderScimError({ status, body, message }: Refusal): ScimError {
  const scimType = body.scimType ?? (status === 400 ? chooseScimType(body) : undefined);
  return {
    schemas: [errorUrn],
    status: String(status),
    ...(isScimType(scimType) ? { scimType } : {}),
    detail: (message === body.error ? details[status] : undefined) ?? message,
  };
}
