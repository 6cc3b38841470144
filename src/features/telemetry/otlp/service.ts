import type { OrganizationCtx } from "../../../platform/context.ts";
import { type HttpHeaders, waitToParse } from "../../../platform/http/index.ts";
import { createPace, type Pace, threadTurns } from "../../../platform/thread-turns.ts";
import {
  admitNames,
  type Placed,
  type Problem,
  placeRecords,
  recallNames,
  storeRecords,
} from "../ingest/index.ts";
import { type CumulativePoint, recordPoints } from "../points/index.ts";
import type { TelemetryRecord } from "../record.ts";
import { type StoredSettings, settingsCache } from "../settings/index.ts";
import { parseBody } from "./body.ts";
import { checkCount, type Item, listItems } from "./items.ts";
import { createLogTranslation } from "./logs.ts";
import type { OtlpSignal } from "./messages.ts";
import { listPoints, type MetricPoint } from "./metrics.ts";
import type { ExportReply } from "./protocol.ts";
import { createSpanTranslation } from "./spans.ts";
import { addProblem, type Report, type Translation, translateAll } from "./translate.ts";

interface ExportInput {
  headers: HttpHeaders;
  readBytes(): Promise<Buffer>;
  recheckIfSlow<T>(waiting: Promise<T>): Promise<T>;
}

/** How the items of a request are stored. */
interface Work extends Pick<ExportInput, "recheckIfSlow"> {
  settings: StoredSettings;
  pace: Pace;
}

/** Stores an export request. It is committed when this returns. */
export async function acceptExport(ctx: OrganizationCtx, signal: OtlpSignal, input: ExportInput) {
  const { headers, recheckIfSlow } = input;
  const bytes = await input.readBytes();
  const settings = await ctx.state.get(settingsCache).find(ctx.orgId);
  const pace = createPace(ctx.state.get(threadTurns), ctx.orgId);
  const items = await recheckIfSlow(
    parseBody(signal, bytes, headers, (plain) => waitToParse(ctx, plain)).then((request) =>
      listItems(signal, request, findReporterId(ctx), pace),
    ),
  );
  // A refusal would make every exporter of the organization log errors.
  if (!settings.enabled) return {};
  const work: Work = { settings, pace, recheckIfSlow };
  const report =
    signal === "metrics"
      ? await acceptMetrics(ctx, items, work)
      : await acceptItems(
          ctx,
          items,
          work,
          signal === "traces" ? createSpanTranslation : createLogTranslation,
        );
  return toReply(signal, report);
}

/** A run and a worker report for themselves; members are the same with each of their credentials. */
const findReporterId = ({ caller: { credential, credentialId, member } }: OrganizationCtx): string =>
  credential === "run" ? credentialId : (member?.id ?? credentialId);

const rejectedNames = {
  traces: "rejectedSpans",
  logs: "rejectedLogRecords",
  metrics: "rejectedDataPoints",
} as const;

/** A message without rejected items is a warning. */
const toReply = (signal: OtlpSignal, { rejected, message }: Report): ExportReply =>
  message === undefined
    ? {}
    : {
        partialSuccess: {
          ...(rejected > 0 ? { [rejectedNames[signal]]: String(rejected) } : {}),
          errorMessage: message,
        },
      };

async function acceptItems(
  ctx: OrganizationCtx,
  items: readonly Item[],
  { settings, pace, recheckIfSlow }: Work,
  createTranslation: (item: Item, keepsContents: boolean) => Translation<TelemetryRecord>,
): Promise<Report> {
  const translations = items.map((item) => createTranslation(item, settings.keepsContents));
  const { results, report } = await recheckIfSlow(translateAll(translations, pace));
  const placed = await place(ctx, results, settings, report);
  await storeRecords(ctx, placed);
  return report;
}

/** The weight of creating the event of a point. Only its hash is computed, because its fields are mapped already. */
const pointWeight = 2;

async function acceptMetrics(
  ctx: OrganizationCtx,
  items: readonly Item[],
  { settings, pace, recheckIfSlow }: Work,
): Promise<Report> {
  const translations: Translation<MetricPoint>[] = [];
  for (const item of items) {
    for (const one of listPoints(item, settings.keepsContents)) translations.push(one);
    checkCount(translations.length, "data points");
  }
  const { results, report } = await recheckIfSlow(translateAll(translations, pace));
  const direct = results.flatMap(({ record }: MetricPoint) => record ?? []);
  const placed = await place(ctx, direct, settings, report);
  const points = results.flatMap(({ point }: MetricPoint) => point ?? []);
  if (points.length === 0) {
    await storeRecords(ctx, placed);
    return report;
  }
  // Rejected points must not be compared with others, so the place of a point is found before it is stored.
  const byId = new Map<string, { point: CumulativePoint; record: TelemetryRecord }>();
  for (const point of points) {
    const record = point.toRecord(point.value);
    byId.set(record.eventId, { point, record });
    const turn = pace(pointWeight);
    if (turn) await turn;
  }
  const whole = await place(
    ctx,
    [...byId.values()].map(({ record }) => record),
    settings,
    report,
  );
  const accepted = whole.map(({ record: { eventId, claims } }) => {
    const { point } = byId.get(eventId)!;
    const toRecord: CumulativePoint["toRecord"] = (...given) => ({ ...point.toRecord(...given), claims });
    return { ...point, toRecord };
  });
  await admitNames(
    ctx,
    [...placed, ...whole].map(({ record }) => record),
  );
  await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const { records } = await recordPoints(inside, accepted, settings.countedFrom);
    const differences = await placeRecords(inside, records, settings);
    const all = [...placed, ...differences.placed];
    // A late point also corrects the day of the point after it, which another process may have stored.
    const limitName = await recallNames(
      inside,
      all.map(({ record }) => record),
    );
    await storeRecords(inside, all, limitName);
  });
  return report;
}

/** Spans of an unknown run are stored without the run: losing them would help nobody. Other problems reject them. */
async function place(
  ctx: OrganizationCtx,
  records: readonly TelemetryRecord[],
  settings: StoredSettings,
  report: Report,
): Promise<Placed[]> {
  const { placed, problems } = await placeRecords(ctx, records, settings);
  const isStorable = ({ field }: Problem) => field === "runId" || field === "workerId";
  const unplaced = problems.filter(isStorable);
  for (const { message } of problems.filter((problem) => !isStorable(problem)))
    addProblem(report, message, 1);
  if (unplaced.length === 0) return placed;
  addProblem(report, `${unplaced[0]!.message} The events were stored without it.`, 0);
  const again = unplaced.map(({ record }) => {
    const { runId: _, workerId: __, ...claims } = record.claims;
    return { ...record, claims };
  });
  const second = await placeRecords(ctx, again, settings);
  for (const { message } of second.problems) addProblem(report, message, 1);
  return [...placed, ...second.placed];
}
