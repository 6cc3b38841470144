import { useOrganization } from "../../lib/context.tsx";
import { useRead } from "../../lib/queries.ts";
import type { Tone } from "../../ui/states.ts";

export interface NavSignal {
  tone: Tone;
  count: number;
  /** For readers who do not see the lamp. */
  text: string;
}

/** The lamps in the sidebar: the worst state inside each item. */
export function useNavSignals(): Readonly<Record<string, NavSignal | undefined>> {
  const { permissions } = useOrganization();
  const running = useRead(
    "GET /v1/automation-runs",
    { query: { status: "running", limit: 100 } },
    { enabled: permissions.has("automations:create"), everyMs: 10_000 },
  );
  const count = running.data?.items.length ?? 0;
  return count > 0 ? { "/runs": { tone: "live", count, text: `${count} running` } } : {};
}
