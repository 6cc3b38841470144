import { NoPlaceError } from "@signalbox/flow-control";
import type { MachineCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { forbidden, Refusal, unauthorized, unavailable } from "../../../platform/errors.ts";
import { type Input, type Outcome, on, type Route, type RouteSpec } from "../../../platform/http/index.ts";
import { lockRights } from "../../roles/index.ts";
import { type Connector, findConnector } from "../connectors/index.ts";
import { callLog } from "./recorder.ts";

/** A call of the directory. */
export interface ScimCtx extends MachineCtx {
  connector: Connector;
}

type MachineRoute = RouteSpec & { access: { kind: "machine" } };

/**
 * Changes of one organization wait for each other, each with a connection of the pool. So only few calls run at the same
 * time, and one organization holds at most half of the places.
 */
const queueLimits = { capacity: 6, maxWaitMs: 20_000, maxWaiting: 1_000, maxWaitingPerKey: 100 };

/** Serves a route of the protocol to the connector of the token, and notes the call. */
export function serve<const Spec extends MachineRoute>(
  spec: Spec,
  handler: (ctx: ScimCtx, input: Input<Spec>) => Outcome<Spec> | Promise<Outcome<Spec>>,
): Route {
  const onlyStatus = Object.keys(spec.replies).map(Number);
  const handle = async (ctx: MachineCtx, input: Input<Spec>) => {
    const [started, calledAt] = [performance.now(), Date.now()];
    const note = (status: number, error: string | null) =>
      ctx.state.get(callLog).note({
        connectorId: ctx.caller.credentialId,
        tokenId: ctx.caller.madeWith,
        method: spec.method.toUpperCase(),
        path: describePath(spec.path, input),
        status,
        error,
        durationMs: Math.round(performance.now() - started),
        requestId: ctx.requestId,
        calledAt,
      });
    let release: (() => void) | undefined;
    try {
      release = await enterQueue(ctx);
      const outcome = await handler({ ...ctx, connector: await requireConnector(ctx) }, input);
      note(onlyStatus.length === 1 ? onlyStatus[0]! : (outcome as { status: number }).status, null);
      return outcome;
    } catch (error) {
      const refusal = toScimRefusal(error);
      if (refusal instanceof Refusal) note(refusal.status, refusal.message);
      else note(500, "The server failed. Its log has the reason.");
      throw refusal;
    } finally {
      release?.();
    }
  };
  return on(spec, handle as unknown as Parameters<typeof on<Spec>>[1]);
}

const enterQueue = ({ queues, orgId }: MachineCtx) =>
  queues("SCIM calls", queueLimits)
    .enter(orgId)
    .catch((error) => {
      if (!(error instanceof NoPlaceError)) throw error;
      throw unavailable("Too many calls of the directory run at the moment. Try again in some seconds.", 10);
    });

/**
 * Locks the rights of the organization, and reads the connector again: it may have been disabled, or its mappings may
 * have changed, while the call waited for the lock.
 */
export async function lockConnector(ctx: ScimCtx, tx: Db): Promise<ScimCtx> {
  await lockRights(tx, ctx.orgId);
  return { ...ctx, connector: await requireConnector({ ...ctx, db: tx }) };
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

/** Directories read 409 as "exists already", so other conflicts get another status. */
function toScimRefusal(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.status !== 409 || error.body.scimType !== undefined) return error;
  return new Refusal(403, error.body);
}

function describePath(path: string, input: { params?: unknown; search: string }): string {
  const params = (input.params ?? {}) as Record<string, string>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
  return filled + (input.search ? `?${decodeQuery(input.search)}` : "");
}

/** Filters are easier to read without escapes. */
function decodeQuery(search: string): string {
  const query = search.replace(/^\?/, "").replaceAll("+", " ");
  try {
    return decodeURIComponent(query).replaceAll("\0", "");
  } catch {
    return query;
  }
}
