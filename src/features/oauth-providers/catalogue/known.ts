import type { Server } from "../../../platform/oauth/index.ts";
import { business } from "./entries/business.ts";
import { developers } from "./entries/developers.ts";
import { identity } from "./entries/identity.ts";
import { work } from "./entries/work.ts";
import { KnownProvider, type KnownProviderInput } from "./schema.ts";

const entries: readonly KnownProviderInput[] = [...developers, ...identity, ...work, ...business];

/** Replaces `{tenant}` in the servers below, so that their URLs are valid. */
const placeholder = "tenant.invalid";

const replaceText = <T>(server: T, text: string, tenant: string): T =>
  JSON.parse(JSON.stringify(server).replaceAll(text, tenant));

/** Every provider that is part of the program, by id. */
export const knownProviders: ReadonlyMap<string, KnownProvider> = new Map(
  entries.map(({ server, ...rest }) => [
    rest.id,
    KnownProvider.parse({ ...rest, server: replaceText(server, "{tenant}", placeholder) }),
  ]),
);

/** The provider's server for a tenant. Undefined when the provider needs a tenant and none, or a wrong one, is given. */
export function findServer({ server, tenant }: KnownProvider, given: string | null): Server | undefined {
  if (!tenant) return server;
  const value = given ?? tenant.default;
  if (value === undefined || !new RegExp(tenant.pattern).test(value)) return undefined;
  return replaceText(server, placeholder, value);
}
