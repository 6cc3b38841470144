import { z } from "zod";
import { authMethods, Server, type ServerInput } from "../../../platform/oauth/index.ts";

/** What people type for `{tenant}` in a provider's URLs. */
export const Tenant = z.strictObject({
  label: z.string().min(1),
  example: z.string().min(1),
  /** It goes into URLs: nothing but what this allows. */
  pattern: z.string().regex(/^\^.*\$$/),
  default: z.string().optional(),
});

/** A provider that everybody knows. Adding one is adding one of these. */
export const KnownProvider = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  name: z.string().min(1).max(60),
  /** Where it says how to register a client. */
  documentation: z.url({ protocol: /^https$/ }),
  scopes: z.array(z.string().min(1)),
  optionalScopes: z.array(z.string().min(1)).default([]),
  tenant: Tenant.optional(),
  /** The first is taken when nothing is said. */
  authMethods: z.array(z.enum(authMethods)).min(1).default(["client_secret_post", "client_secret_basic"]),
  server: Server,
});
export type KnownProvider = z.output<typeof KnownProvider>;
export type KnownProviderInput = Omit<z.input<typeof KnownProvider>, "server"> & { server: ServerInput };
