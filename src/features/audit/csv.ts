import type { AuditEvent } from "./contract.ts";

const columns: [name: string, value: (event: AuditEvent) => unknown][] = [
  ["sequence", ({ sequence }) => sequence],
  ["at", ({ at }) => new Date(at).toISOString()],
  ["action", ({ action }) => action],
  ["actorName", ({ actor }) => actor.name],
  ["actorUserId", ({ actor }) => actor.userId],
  ["actorMemberId", ({ actor }) => actor.memberId],
  ["credential", ({ actor }) => actor.credential],
  ["credentialId", ({ actor }) => actor.credentialId],
  ["address", ({ address }) => address],
  ["userAgent", ({ userAgent }) => userAgent],
  ["requestId", ({ requestId }) => requestId],
  ["targetType", ({ target }) => target.type],
  ["targetId", ({ target }) => target.id],
  ["before", ({ before }) => before && JSON.stringify(before)],
  ["after", ({ after }) => after && JSON.stringify(after)],
  ["id", ({ id }) => id],
  ["previousHash", ({ previousHash }) => previousHash],
  ["hash", ({ hash }) => hash],
  ["targetName", ({ target }) => target.name],
];

/** Formats one line of RFC 4180. Without an event it is the header line. */
export const formatCsvLine = (event?: AuditEvent): string =>
  `${columns.map(([name, value]) => formatCell(event ? value(event) : name)).join(",")}\r\n`;

/** Spreadsheets execute text that begins like this as a formula. A quote before it prevents that. */
const formulaStart = /^[=+\-@\t\r]/;

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  const safe = typeof value === "string" && formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
