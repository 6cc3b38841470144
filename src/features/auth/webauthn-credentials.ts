import { z } from "zod";

const bytes = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[A-Za-z0-9_-]*$/, "This is not base64url.");

/** Browsers add fields over time, so unknown ones are ignored. */
const credential = {
  id: bytes(1400).min(1),
  rawId: bytes(1400).min(1),
  type: z.literal("public-key"),
  clientExtensionResults: z.looseObject({}).default({}),
};
export const transports = z.array(z.string().max(40)).max(10);

export const RegistrationCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(8_000).min(1),
      attestationObject: bytes(40_000).min(1),
      transports: transports.optional(),
    }),
  })
  .meta({ id: "PasskeyRegistration" })
  .describe("The result of `navigator.credentials.create()`, as its `toJSON()` returns it.");
export type RegistrationCredential = z.output<typeof RegistrationCredential>;

export const SignInCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(8_000).min(1),
      authenticatorData: bytes(8_000).min(1),
      signature: bytes(8_000).min(1),
      userHandle: bytes(200).nullish(),
    }),
  })
  .meta({ id: "PasskeySignIn" })
  .describe("The result of `navigator.credentials.get()`, as its `toJSON()` returns it.");
export type SignInCredential = z.output<typeof SignInCredential>;
