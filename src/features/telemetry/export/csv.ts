import type { TelemetryEvent } from "../events/index.ts";

const columns: [name: string, value: (event: TelemetryEvent) => unknown][] = [
  ["at", ({ at }) => new Date(at).toISOString()],
  ["signal", ({ signal }) => signal],
  ["type", ({ type }) => type],
  ["source", ({ source }) => source],
  ["memberId", ({ memberId }) => memberId],
  ["workerId", ({ workerId }) => workerId],
  ["runId", ({ runId }) => runId],
  ["automationId", ({ automationId }) => automationId],
  ["provider", ({ provider }) => provider],
  ["model", ({ model }) => model],
  ["inputTokens", ({ inputTokens }) => inputTokens],
  ["outputTokens", ({ outputTokens }) => outputTokens],
  ["cacheReadTokens", ({ cacheReadTokens }) => cacheReadTokens],
  ["cacheWriteTokens", ({ cacheWriteTokens }) => cacheWriteTokens],
  ["costMicros", ({ costMicros }) => costMicros],
  ["pricing", ({ pricing }) => pricing],
  ["countsUsage", ({ countsUsage }) => countsUsage],
  ["durationMs", ({ durationMs }) => durationMs],
  ["failed", ({ failed }) => failed],
  ["value", ({ value }) => value],
  ["toolName", ({ toolName }) => toolName],
  ["agentName", ({ agentName }) => agentName],
  ["conversationId", ({ conversationId }) => conversationId],
  ["attributes", ({ attributes }) => attributes && JSON.stringify(attributes)],
  ["eventId", ({ eventId }) => eventId],
  ["id", ({ id }) => id],
  ["mappingVersion", ({ mappingVersion }) => mappingVersion],
  ["receivedAt", ({ receivedAt }) => new Date(receivedAt).toISOString()],
];

/** Formats one line of RFC 4180. Without an event it is the header line. */
export const formatCsvLine = (event?: TelemetryEvent): string =>
  `${columns.map(([name, value]) => formatCell(event ? value(event) : name)).join(",")}\r\n`;

/** Spreadsheets execute text that begins like this as a formula. A quote before it prevents that. */
const formulaStart = /^[=+\-@\t\r]/;

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  const safe = typeof value === "string" && formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
