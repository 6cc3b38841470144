import type { Ctx, MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import type { SsoEvent } from "./contract.ts";
import * as store from "./store.ts";

const keptEvents = 500;

/** Removes characters that a column cannot store, and cuts what a provider could make long. */
const storable = (text: string | null | undefined, max = 320) =>
  text === null || text === undefined ? null : text.replaceAll("\0", "").toWellFormed().slice(0, max);

interface Outcome {
  purpose: SsoEvent["purpose"];
  outcome: SsoEvent["outcome"];
  code: string;
  message: string;
  subject?: string | null | undefined;
  email?: string | null | undefined;
  userId?: string | null | undefined;
  /** A page asks the person next, so this is neither a finished sign-in nor a failure. */
  isStep?: boolean;
}

/** Adds a line to the log of a connector. Sign-ins are counted too; tests and readings of metadata are not. */
export async function recordOutcome(
  source: Pick<Ctx, "address" | "requestId"> | null,
  tx: Db,
  orgId: OrgId,
  connectorId: string,
  { purpose, outcome, code, message, subject, email, userId, isStep = false }: Outcome,
): Promise<void> {
  await store.insert(tx, orgId, {
    id: newId("sse"),
    connectorId,
    purpose,
    outcome,
    code: storable(code, 100)!,
    message: storable(message, 500)!,
    subject: storable(subject),
    email: storable(email),
    userId: userId ?? null,
    address: storable(source?.address, 100),
    requestId: source?.requestId ?? null,
  });
  await store.removeOld(tx, orgId, connectorId, keptEvents);
  if (purpose !== "test" && purpose !== "metadata" && !isStep)
    await store.countOutcome(tx, orgId, connectorId, outcome === "refused" ? { code, message } : null);
}

export const listEvents = async ({ db, orgId }: MemberCtx, connectorId: string, query: PageQuery) =>
  cutPageById(await store.list(db, orgId, connectorId, readIdCursor(query, "sse"), query.limit + 1), query);
