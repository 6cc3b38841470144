import { createHash } from "node:crypto";
import type { OrgId } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { announce } from "../../../notifications/index.ts";
import type { ConnectionId, Policy } from "../../model.ts";
import type { Variant } from "../accounts/index.ts";
import type { DriftKind } from "../contract.ts";
import type { NormalizedListing } from "../definitions/index.ts";
import { countHeld } from "../policy.ts";
import { instructionsName } from "../store.ts";
import type { KnownTool } from "./store.ts";

/** How the tools of a connection are after a listing. */
export interface Drift {
  /** True when the listing was the first, and is approved with the connection. */
  isBaseline: boolean;
  /** True when the listing says the same as the one before. */
  isUnchanged: boolean;
  toolCount: number;
  heldTools: number;
  omittedTools: number;
  /** Every tool that differs from its approved definition. The empty name is the server's instructions. */
  changed: { name: string; kinds: DriftKind[] }[];
}

/** What decides whether a tool differs. */
type Differing = Pick<KnownTool, "name" | "approvedHash" | "latestHash" | "drift">;

const hasDrift = ({ drift }: Pick<Differing, "drift">) => drift.length > 0;
const isTool = ({ name }: Pick<KnownTool, "name">) => name !== instructionsName;

/** What a connection shows about its tools. `variants` are differences of single accounts. */
export function countTools(
  policy: Pick<Policy, "onDrift">,
  known: readonly KnownTool[],
  variants: readonly Variant[] = [],
): { toolCount: number; heldTools: number } {
  const present = known.filter((tool) => isTool(tool) && tool.latestHash !== null);
  const heldTools = countHeld(policy, {
    present: present.length,
    drifted: present.filter(hasDrift).length + variants.filter(isTool).length,
    all: known.filter(hasDrift).length + variants.length,
  });
  return { toolCount: present.length, heldTools };
}

/** Identifies all differences, so that somebody approves what they saw. */
export function computeRevision(known: readonly Differing[]): string {
  const hash = createHash("sha256").update("signalbox mcp drift v1\n");
  for (const { name, approvedHash, latestHash } of known.filter(hasDrift))
    hash.update(`${JSON.stringify([name, approvedHash, latestHash])}\n`);
  return hash.digest("hex").slice(0, 32);
}

const maxAnnounced = 20;

/** Differences that were announced before are the same event. */
export async function announceDrift(
  tx: Db,
  orgId: OrgId,
  connectionId: ConnectionId,
  known: readonly Differing[],
  revision: string,
  heldTools: number,
): Promise<void> {
  const drifted = known.filter(hasDrift);
  if (drifted.length === 0) return;
  const tools = drifted.filter(isTool);
  await announce(tx, orgId, {
    type: "mcp_connection.drift",
    connectionId,
    revision,
    kinds: [...new Set(drifted.flatMap(({ drift }) => drift))],
    tools: tools.slice(0, maxAnnounced).map(({ name }) => name),
    toolCount: tools.length,
    heldTools,
    instructions: drifted.length > tools.length,
    verdictFields: [],
  });
}

export const summarize = (
  policy: Pick<Policy, "onDrift">,
  known: readonly KnownTool[],
  { omitted }: NormalizedListing,
  isUnchanged: boolean,
): Drift => ({
  ...{ isBaseline: false, isUnchanged, omittedTools: omitted, ...countTools(policy, known) },
  changed: known.filter(hasDrift).map(({ name, drift }) => ({ name, kinds: drift })),
});
