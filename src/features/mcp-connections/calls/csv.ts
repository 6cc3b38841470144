import type { McpCall } from "./contract.ts";

const columns: [name: string, value: (call: McpCall) => string | number | null][] = [
  ["createdAt", ({ createdAt }) => new Date(createdAt).toISOString()],
  ["connectionId", ({ connectionId }) => connectionId],
  ["connectionName", ({ connectionName }) => connectionName],
  ["memberId", ({ memberId }) => memberId],
  ["memberName", ({ memberName }) => memberName],
  ["credential", ({ credential }) => credential],
  ["credentialId", ({ credentialId }) => credentialId],
  ["client", ({ client }) => client],
  ["tool", ({ tool }) => tool],
  ["outcome", ({ outcome }) => outcome],
  ["code", ({ code }) => code],
  ["ms", ({ ms }) => ms],
  ["requestBytes", ({ requestBytes }) => requestBytes],
  ["resultBytes", ({ resultBytes }) => resultBytes],
  ["runId", ({ runId }) => runId],
  ["attempt", ({ attempt }) => attempt],
  ["id", ({ id }) => id],
];

/** Formats one line of RFC 4180. Without a call it is the header line. */
export const formatCsvLine = (call?: McpCall): string =>
  `${columns.map(([name, value]) => formatCell(call ? value(call) : name)).join(",")}\r\n`;

/** Spreadsheets execute text that begins like this as a formula. A quote before it prevents that. */
const formulaStart = /^[=+\-@\t\r]/;

function formatCell(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  const safe = typeof value === "string" && formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
