import type { AutomationScheduleInput } from "@signalbox/client";
import { readerTimeZone } from "../../../lib/format.ts";
import { locale } from "../../../lib/locale.ts";
import { useRead } from "../../../lib/queries.ts";
import { automations } from "../../../texts/automations.ts";

const texts = automations.schedule;
const day = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** The local time of a zone. The API gives it as text, so it is read as if it were UTC. */
const formatLocal = (local: string): string => day.format(new Date(`${local.slice(0, 16)}Z`));
const readerTime = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
});

interface OccurrencesProps {
  schedule: AutomationScheduleInput;
  count?: number;
}

/** When a schedule is due next, in its own zone, as the server computes it. */
export function Occurrences({ schedule, count = 5 }: OccurrencesProps) {
  const isManual = schedule.kind === "manual";
  const preview = useRead(
    "POST /v1/automation-schedules/preview",
    { body: { schedule, count } },
    { enabled: !isManual, everyMs: 60_000 },
  );
  if (isManual) return <p className="t3">{texts.previewManual}</p>;
  if (preview.error && !preview.isFetching) return <p className="t3">{texts.previewFailed}</p>;
  const occurrences = preview.data?.occurrences;
  if (occurrences?.length === 0) return <p className="care">{texts.previewNone}</p>;
  const isElsewhere = "timezone" in schedule && schedule.timezone !== readerTimeZone();
  return (
    <ol className="occurrences" aria-busy={preview.isPending || undefined}>
      {(occurrences ?? []).map(({ at, local }) => (
        <li key={at} className="row num">
          <time dateTime={new Date(at).toISOString()} className="t">
            {formatLocal(local)}
          </time>
          {isElsewhere && <span className="t3">{automations.record.readerTime(readerTime.format(at))}</span>}
        </li>
      ))}
    </ol>
  );
}
