import type { CredentialKind, Ctx } from "../context.ts";
import { checkAccess } from "./access.ts";
import { decodeMessages, type OpenStream, type Source } from "./event-stream.ts";
import { checkBody, parseParams, parseQuery } from "./input.ts";
import type { Route, RouteSpec } from "./route.ts";
import { checkScopes } from "./scopes.ts";

/** The input of a route, before its contract has checked it. */
export interface InvokedInput {
  params?: Readonly<Record<string, string>>;
  /** Undefined values are left out. */
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
}

/** Routes that another protocol can offer: they answer with a body. */
const isInvokable = ({ raw, bytes, mounted }: RouteSpec): boolean =>
  raw === undefined && bytes === undefined && mounted === undefined;

/**
 * Refuses what the route would refuse to this caller. `alsoFor` are kinds of credentials that the route does not accept
 * over HTTP. Everything else of its access stays: principal, permission, rules of the credential.
 */
export function checkInvocation(
  { spec }: Pick<Route, "spec">,
  { caller }: Ctx,
  alsoFor: readonly CredentialKind[],
): void {
  const { access } = spec;
  const isAdded = access.kind !== "public" && caller !== undefined && alsoFor.includes(caller.credential);
  checkAccess(isAdded ? { ...access, credentials: [caller.credential] } : access, caller, Date.now());
  if (spec.scopes) checkScopes(spec.scopes, caller);
}

/**
 * Calls a route inside of the process, for another protocol that offers the same operation. The contract decides about
 * access and input, exactly as for a request. Returns the body of the reply.
 */
export async function invoke(
  route: Route,
  ctx: Ctx,
  input: InvokedInput,
  alsoFor: readonly CredentialKind[],
): Promise<unknown> {
  const { spec } = route;
  if (!isInvokable(spec)) throw new Error(`${spec.method} ${spec.path} has no body as its reply.`);
  const outcome = await run(route, ctx, input, alsoFor, () => {
    throw new Error(`${spec.method} ${spec.path} answered with a stream.`);
  });
  return Object.keys(spec.replies).length === 1 ? outcome : (outcome as { body: unknown }).body;
}

/** Calls a route that answers with an event stream. Yields its messages until it ends or `signal` aborts. */
export async function* invokeStream(
  route: Route,
  ctx: Ctx,
  input: InvokedInput,
  alsoFor: readonly CredentialKind[],
  signal: AbortSignal,
) {
  let source: Source | undefined;
  await run(route, ctx, input, alsoFor, (given) => {
    source = given;
    return Promise.resolve(new Response(null));
  });
  if (source) yield* decodeMessages(source(signal));
}

async function run(
  { spec, handle }: Route,
  ctx: Ctx,
  { params = {}, query = {}, body }: InvokedInput,
  alsoFor: readonly CredentialKind[],
  eventStream: OpenStream,
): Promise<unknown> {
  checkInvocation({ spec }, ctx, alsoFor);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return handle(ctx, {
    params: spec.params ? parseParams(params, spec.params) : undefined,
    query: parseQuery(search.toString(), spec.query),
    body: spec.body ? checkBody(spec.body, body, spec) : undefined,
    headers: {},
    search: "",
    readBytes: () => Promise.reject(new Error("An invoked route has no bytes.")),
    recheckIfSlow: (waiting: Promise<unknown>) => waiting,
    setHeader: () => {},
    eventStream,
    signal: undefined,
  });
}
