import type { Pace } from "../../../platform/thread-turns.ts";
import { computeDigest } from "../digest.ts";
import { mapFields } from "../mapping/index.ts";
import type { TelemetryRecord } from "../record.ts";
import type { TelemetryEventInput } from "./contract.ts";

/** The time that each event takes, however few attributes it has, as a number of attributes. */
const eventWeight = 5;

/** Maps reported events. Others have their turn in between, because 500 events can have 32,000 attributes. */
export async function toRecords(
  events: readonly TelemetryEventInput[],
  keepsContents: boolean,
  pace: Pace,
): Promise<TelemetryRecord[]> {
  const records: TelemetryRecord[] = [];
  for (const event of events) {
    records.push(toRecord(event, keepsContents));
    const turn = pace(eventWeight + Object.keys(event.attributes ?? {}).length);
    if (turn) await turn;
  }
  return records;
}

function toRecord(event: TelemetryEventInput, keepsContents: boolean): TelemetryRecord {
  const { id, type, at, memberId, workerId, runId, model, attributes = {} } = event;
  const given = model === undefined ? attributes : { ...attributes, "gen_ai.response.model": model };
  const mapped = mapFields({ signal: "event", name: type, attributes: given }, keepsContents);
  const { claims } = mapped;
  delete claims.email;
  if (memberId !== undefined) claims.memberId = memberId;
  if (workerId !== undefined) claims.workerId = workerId;
  if (runId !== undefined) claims.runId = runId;
  const digest = computeDigest([
    ...[type, at, model ?? null, memberId ?? null, workerId ?? null, runId ?? null],
    attributes,
  ]);
  return { ...mapped, signal: "event", eventId: id, digest, at, value: null };
}
