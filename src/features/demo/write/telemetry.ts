import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { mappingVersion } from "../../telemetry/index.ts";
import type { Plan } from "../plan/index.ts";
import { insertRows, sumTelemetry } from "../store.ts";
import type { Ids } from "./ids.ts";

/** The delay between an event and its receipt. */
const transferMs = 2_300;

/** Writes events with their daily sums. */
export async function writeTelemetry(tx: Db, { telemetry, start }: Plan, ids: Ids): Promise<void> {
  await insertRows(
    tx,
    ids.organization,
    "telemetry_events",
    telemetry.map((event) => {
      const id = newIdAt("tev", event.at);
      return {
        ...{
          id,
          event_id: id.slice("tev_".length),
          digest: `\\x${Buffer.from(id).toString("hex").slice(-32)}`,
        },
        ...{ signal: event.signal, type: event.type, source: event.source, mapping_version: mappingVersion },
        ...{ at: new Date(event.at).toISOString(), member_id: ids.member(event.member) },
        received_at: new Date(event.at + transferMs).toISOString(),
        ...{
          worker_id: event.worker && ids.worker(event.worker),
          run_id: event.run !== null ? ids.runs[event.run] : null,
        },
        automation_id: event.automation && ids.automation(event.automation),
        ...{ provider: event.model?.split("-")[0] ?? null, model: event.model },
        ...{ input_tokens: event.inputTokens, output_tokens: event.outputTokens },
        ...{
          cache_read_tokens: event.cacheReadTokens,
          cost_micros: event.costMicros,
          pricing: event.pricing,
        },
        ...{ counts_usage: event.type === "model_call", duration_ms: event.durationMs, failed: event.failed },
        ...{ value: event.value, tool_name: event.toolName, agent_name: event.agentName },
        conversation_id: event.conversationId,
      };
    }),
  );
  await insertRows(tx, ids.organization, "telemetry_settings", [
    { enabled: true, keeps_contents: false, retention_days: 90, updated_at: new Date(start).toISOString() },
  ]);
  await sumTelemetry(tx, ids.organization);
}
