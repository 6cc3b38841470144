import type { MemberCtx } from "../../../platform/context.ts";
import { readBatches } from "../../../platform/db/index.ts";
import { baseHeaders } from "../../../platform/http/index.ts";
import { smallestIdAt } from "../../../platform/ids.ts";
import { findVisibleMember, listAfter } from "../events/index.ts";
import type { exportQuery } from "./contract.ts";
import { formatCsvLine } from "./csv.ts";

/** Reads the next events only when the last ones were sent, so a slow client keeps one batch in memory. */
export function exportEvents(
  ctx: MemberCtx,
  { format, from = 0, to = Number.MAX_SAFE_INTEGER }: (typeof exportQuery)["_output"],
): Response {
  const end = smallestIdAt("tev", to);
  const memberId = findVisibleMember(ctx);
  async function* lines() {
    if (format === "csv") yield formatCsvLine();
    // The smallest id of a time is never given, so nothing is skipped.
    const batches = readBatches(smallestIdAt("tev", from), (after, count) =>
      listAfter(ctx.db, ctx.orgId, { memberId, after, end }, count),
    );
    for await (const events of batches)
      yield events
        .map((event) => (format === "csv" ? formatCsvLine(event) : `${JSON.stringify(event)}\n`))
        .join("");
    yield format === "csv" ? "# complete\r\n" : '{"complete":true}\n';
  }
  const body = ReadableStream.from(lines()).pipeThrough(new TextEncoderStream());
  return new Response(body, {
    headers: {
      ...baseHeaders,
      "content-type": format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson",
      "content-disposition": `attachment; filename="telemetry.${format === "csv" ? "csv" : "jsonl"}"`,
      "cache-control": "no-store",
    },
  });
}
