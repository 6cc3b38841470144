import type { Ctx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { findUser } from "../../auth/index.ts";
import type { ConnectorRow } from "../connectors/index.ts";
import { decide, type Identity, readPersonName } from "../people/index.ts";
import type { Secrets } from "./attempts.ts";
import { findCaller } from "./session.ts";
import type * as store from "./store.ts";

/**
 * Returns the person when they must confirm the sign-in: this browser did not start it, or it replaces the session of
 * somebody else. Otherwise another site could sign a browser in as somebody else without being noticed.
 */
export async function findPersonToConfirm(
  ctx: Ctx,
  tx: Db,
  connector: ConnectorRow,
  { purpose, userId }: store.Attempt,
  { isStartedElsewhere = false }: Secrets,
  identity: Identity,
  cookies: string | undefined,
): Promise<Secrets["person"]> {
  if (purpose !== "sign_in" && purpose !== "reauthenticate") return undefined;
  const caller = await findCaller(ctx, tx, cookies);
  if (!caller && !isStartedElsewhere) return undefined;
  const verdict = await decide(tx, connector, identity);
  // A refusal is shown at once, and the page that links an account asks by itself.
  if (verdict.kind === "refused" || verdict.kind === "prove") return undefined;
  const found = "userId" in verdict ? verdict.userId : null;
  // Whoever signs in again must be the same person. Others are refused, not asked.
  if (userId !== null && userId !== found) return undefined;
  if (verdict.kind === "new") return { name: readPersonName(identity, verdict.email), email: verdict.email };
  const isSamePerson = caller?.userId === found;
  // A browser with a session of this organization keeps it, so nothing is replaced.
  const keepsSession = isSamePerson && caller?.onlyOrgId === connector.orgId;
  if (isStartedElsewhere ? keepsSession : isSamePerson) return undefined;
  const user = await findUser(tx, verdict.userId);
  return user && { name: user.name, email: user.email };
}
