import { Server } from "../../../platform/oauth/index.ts";
import { business } from "./entries/business.ts";
import { developers } from "./entries/developers.ts";
import { identity } from "./entries/identity.ts";
import { work } from "./entries/work.ts";
import { type Known, KnownProvider } from "./schema.ts";

const entries: readonly Known[] = [...developers, ...identity, ...work, ...business];

/** Written into a template's URLs, where something has to stand. */
const fill = (server: unknown, tenant: string): unknown =>
  JSON.parse(JSON.stringify(server).replaceAll("{tenant}", tenant));

let read: Map<string, KnownProvider> | undefined;
/** Every provider that is part of the program. Read when first asked for: who needs none pays nothing. */
export function knownProviders(): ReadonlyMap<string, KnownProvider> {
  read ??= new Map(
    entries.map(({ server, ...rest }) => {
      const provider = KnownProvider.parse({ ...rest, server: fill(server, "tenant.invalid") });
      return [rest.id, { ...provider, server: server as Server }];
    }),
  );
  return read;
}

const filled = new Map<string, Server>();
const maxFilled = 1_000;

/** The provider's server for a tenant; undefined when it needs one that is not given or not allowed. */
export function serverOf({ id, server, tenant }: KnownProvider, given: string | null): Server | undefined {
  const value = given ?? tenant?.default ?? null;
  if (tenant && (value === null || !new RegExp(tenant.pattern).test(value))) return undefined;
  const key = `${id} ${value}`;
  let result = filled.get(key);
  if (!result) {
    result = Server.parse(fill(server, value ?? ""));
    if (filled.size >= maxFilled) filled.clear();
    filled.set(key, result);
  }
  return result;
}
