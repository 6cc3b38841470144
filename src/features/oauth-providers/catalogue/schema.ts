import { z } from "zod";
import { authMethods, Server, type ServerInput } from "../../../platform/oauth/index.ts";

/** What people type for `{tenant}` in a provider's URLs. */
export const Tenant = z.strictObject({
  label: z.string().min(1),
  example: z.string().min(1),
  /** The tenant becomes part of URLs, so only this pattern is accepted. */
  pattern: z.string().regex(/^\^.*\$$/),
  default: z.string().optional(),
});

/** A provider that is part of the program. */
export const KnownProvider = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  name: z.string().min(1).max(60),
  /** The provider's documentation on how to register a client. */
  documentation: z.url({ protocol: /^https$/ }),
  scopes: z.array(z.string().min(1)),
  optionalScopes: z.array(z.string().min(1)).default([]),
  tenant: Tenant.optional(),
  /** The first one is the default. */
  authMethods: z.array(z.enum(authMethods)).min(1).default(["client_secret_post", "client_secret_basic"]),
  server: Server,
});
export type KnownProvider = z.output<typeof KnownProvider>;
export type KnownProviderInput = Omit<z.input<typeof KnownProvider>, "server"> & { server: ServerInput };
