import { useOrganization } from "../../lib/context.tsx";
import { useRead } from "../../lib/queries.ts";
import { shell } from "../../texts/shell.ts";
import type { Tone } from "../../ui/states.ts";

export interface NavSignal {
  tone: Tone;
  count: number;
  /** For readers who do not see the lamp. */
  text: string;
}

/** What a status of a connection means for the lamp. The others are fine, or wait for nobody. */
const mcpTones: Readonly<Record<string, Tone>> = {
  no_answer: "bad",
  tools_held: "care",
  needs_consent: "care",
  sign_in: "care",
};

/** The lamps in the sidebar: the worst state inside each item. */
export function useNavSignals(): Readonly<Record<string, NavSignal | undefined>> {
  const { permissions } = useOrganization();
  const running = useRead(
    "GET /v1/automation-runs",
    { query: { status: "running", limit: 100 } },
    { enabled: permissions.has("automations:create"), everyMs: 10_000 },
  );
  const connections = useRead(
    "GET /v1/mcp-connections",
    { query: { limit: 100 } },
    { enabled: permissions.has("mcp_connections:use"), everyMs: 30_000 },
  );
  const count = running.data?.items.length ?? 0;
  const tones = (connections.data?.items ?? []).flatMap(({ status }) => mcpTones[status] ?? []);
  return {
    ...(count > 0 ? { "/runs": { tone: "live" as const, count, text: shell.signals.running(count) } } : {}),
    ...(tones.length > 0
      ? {
          "/connections/mcp": {
            tone: tones.includes("bad") ? ("bad" as const) : ("care" as const),
            count: tones.length,
            text: shell.signals.care(tones.length),
          },
        }
      : {}),
  };
}
