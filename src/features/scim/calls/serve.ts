import { NoPlaceError } from "@signalbox/flow-control";
import type { MachineCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { forbidden, Refusal, unauthorized, unavailable } from "../../../platform/errors.ts";
import { type Input, type Outcome, on, type Route, type RouteSpec } from "../../../platform/http/index.ts";
import { lockRights } from "../../roles/index.ts";
import { type Connector, findConnector, isValidToken } from "../connectors/index.ts";
import { callLog } from "./recorder.ts";

/** A call of the directory. */
export interface ScimCtx extends MachineCtx {
  connector: Connector;
}

type MachineRoute = RouteSpec & { access: { kind: "machine" } };

/**
 * Changes in one organization wait for its lock, and each waiting call holds a database connection. Therefore only few
 * calls run at the same time, and one organization holds at most half of the places.
 */
const queueLimits = { capacity: 6, maxWaitMs: 20_000, maxWaiting: 1_000, maxWaitingPerKey: 100 };

/** Serves a route of the protocol to the connector of the token, and notes its calls. */
export function serve<const Spec extends MachineRoute>(
  spec: Spec,
  handler: (ctx: ScimCtx, input: Input<Spec>) => Outcome<Spec> | Promise<Outcome<Spec>>,
): Route {
  const handle = async (ctx: MachineCtx, input: Input<Spec>) => {
    const release = await enterQueue(ctx);
    try {
      return await handler({ ...ctx, connector: await requireConnector(ctx) }, input);
    } catch (error) {
      throw toScimRefusal(error);
    } finally {
      release();
    }
  };
  return { ...on(spec, handle as unknown as Parameters<typeof on<Spec>>[1]), onReply: noteCall };
}

/** Notes a call in the log of its connector, also when it was refused before the handler. */
const noteCall: NonNullable<Route["onReply"]> = (ctx, request, { status, refusal, durationMs }) => {
  if (ctx.caller?.credential !== "scim") return;
  const isFault = status === 500;
  ctx.state.get(callLog).note({
    connectorId: ctx.caller.credentialId,
    tokenId: ctx.caller.madeWith,
    method: request.method,
    path: describePath(request),
    status,
    error: isFault ? "The server failed. Its log has the reason." : (refusal?.message ?? null),
    durationMs: Math.round(durationMs),
    requestId: ctx.requestId,
    calledAt: Math.round(Date.now() - durationMs),
  });
};

const enterQueue = ({ queues, orgId }: MachineCtx) =>
  queues("SCIM calls", queueLimits)
    .enter(orgId)
    .catch((error) => {
      if (!(error instanceof NoPlaceError)) throw error;
      throw unavailable("Too many requests of the directory are in progress. Try again in 10 seconds.", 10);
    });

/**
 * Locks the rights of the organization, and reads the connector and the token again: the connector may have been
 * disabled, its mappings may have changed, or the token may have ended, while the call waited for the lock.
 */
export async function lockConnector(ctx: ScimCtx, tx: Db): Promise<ScimCtx> {
  await lockRights(tx, ctx.orgId);
  const connector = await requireConnector({ ...ctx, db: tx });
  if (!(await isValidToken(tx, ctx.orgId, connector.id, ctx.caller.madeWith ?? "")))
    throw unauthorized("invalid_token");
  return { ...ctx, connector };
}

async function requireConnector({ db, orgId, caller }: MachineCtx): Promise<Connector> {
  const connector = await findConnector(db, orgId);
  // It was removed after the token was checked.
  if (connector?.id !== caller.credentialId) throw unauthorized("invalid_token");
  if (connector.disabledAt !== null)
    throw forbidden(
      "scim_disabled",
      "The SCIM connector is disabled. Enable it in the organization's settings.",
    );
  return connector;
}

/** Directories interpret 409 as "already exists", so other conflicts get 403. */
function toScimRefusal(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.status !== 409 || error.body.scimType !== undefined) return error;
  return new Refusal(403, error.body);
}

function describePath({ path, search }: { path: string; search: string }): string {
  return decode(path) + (search ? `?${decode(search.replaceAll("+", " "))}` : "");
}

/** Filters are easier to read without escapes. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("\0", "");
  } catch {
    return text;
  }
}
