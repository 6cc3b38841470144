import { dayMs } from "../../../../platform/days.ts";
import type { Random } from "../../random.ts";
import type { Calendar } from "../calendar.ts";
import type { PlannedServer } from "./servers.ts";

export interface PlannedCall {
  server: string;
  member: string;
  client: string;
  tool: string;
  outcome: "ok" | "tool_error" | "refused" | "timed_out";
  code: string | null;
  ms: number;
  requestBytes: number;
  resultBytes: number;
  at: number;
}

const clients = ["Claude Code", "Cursor", "Visual Studio Code"];

/** Calls of thirty days, most of them on the last one, in their order. */
export function planCalls(
  random: Random,
  { now }: Calendar,
  servers: readonly PlannedServer[],
): PlannedCall[] {
  return servers
    .flatMap((server) =>
      Array.from({ length: 30 }, (_, day) => {
        const until = now - day * dayMs;
        const isWeekend = [0, 6].includes(new Date(until).getUTCDay());
        const share = day === 0 ? 1 : isWeekend ? 0.02 : 0.3;
        const count = until > server.savedAt ? Math.round(server.callsLastDay * share) : 0;
        return Array.from({ length: count }, () =>
          planCall(random, server, until - random.int(1, dayMs - 1)),
        );
      }).flat(),
    )
    .filter(({ at, server }) => at > servers.find(({ key }) => key === server)!.approvedAt)
    .toSorted((a, b) => a.at - b.at);
}

function planCall(random: Random, server: PlannedServer, at: number): PlannedCall {
  const tool = random.pick(server.tools);
  const isHeld =
    server.driftAt !== null &&
    at > server.driftAt &&
    server.drift.some(({ latest }) => latest.name === tool.name);
  const isDenied = tool.name === "delete_page";
  const luck = random.int(1, 200);
  const result: Pick<PlannedCall, "outcome" | "code"> = isHeld
    ? { outcome: "refused", code: "mcp_tool_held" }
    : isDenied
      ? { outcome: "refused", code: "mcp_tool_denied" }
      : luck > 6
        ? { outcome: "ok", code: null }
        : luck > 1
          ? { outcome: "tool_error", code: null }
          : { outcome: "timed_out", code: "mcp_timed_out" };
  const isSent = result.outcome !== "refused";
  const people = server.accounts.length > 0 ? server.accounts : ["ada", "bruno", "chiara", "dev", "elif"];
  return {
    ...{ server: server.key, member: random.pick(people), client: random.pick(clients), tool: tool.name },
    ...result,
    ms: result.outcome === "timed_out" ? 60_000 : isSent ? random.int(38, 900) : random.int(1, 4),
    requestBytes: random.int(40, 900),
    resultBytes: isSent && result.outcome !== "timed_out" ? random.int(120, 24_000) : 0,
    at,
  };
}
