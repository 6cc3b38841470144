/** When a schedule matches, as clocks show it. */
export interface Pattern {
  /** Sorted. */
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: ReadonlySet<number>;
  months: ReadonlySet<number>;
  daysOfWeek: ReadonlySet<number>;
  /** Both kinds of day are restricted. Then a day matches if either does, as in every cron. */
  eitherDay: boolean;
  /**
   * Minute or hour is `*` or a step of it: "every so often". Such a pattern goes by elapsed time, so in a
   * repeated hour it matches again and in a skipped one not at all. Any other names times of day, each of
   * which happens once a day whatever the clocks do.
   */
  isInterval: boolean;
}

interface Field {
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const fields: readonly Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  {
    name: "month",
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  // 7 is Sunday too.
  { name: "day of week", min: 0, max: 7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/** A Map, because a plain object also has the keys `__proto__` and `constructor`. */
const nicknames: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** Explains to its author what is wrong with an expression. */
export class CronError extends Error {}

export function parseCron(expression: string): Pattern {
  const trimmed = expression.trim().toLowerCase();
  const parts = (nicknames.get(trimmed) ?? trimmed).split(/\s+/);
  if (parts.length !== 5) {
    throw new CronError(
      `A cron expression has five fields (minute, hour, day of month, month, day of week); this has ${trimmed ? parts.length : 0}.`,
    );
  }
  const [minutes, hours, daysOfMonth, months, weekdays] = parts.map((part, i) =>
    parseField(part, fields[i]!),
  ) as [number[], number[], number[], number[], number[]];
  const isStar = (i: number) => /^[*?]/.test(parts[i]!);
  const pattern = {
    minutes,
    hours,
    daysOfMonth: new Set(daysOfMonth),
    months: new Set(months),
    daysOfWeek: new Set(weekdays.map((day) => day % 7)),
    eitherDay: !isStar(2) && !isStar(4),
    isInterval: isStar(0) || isStar(1),
  };
  if (findNextMatch(pattern, Date.UTC(2000, 0, 1)) === undefined) {
    throw new CronError("This never happens: no month it names has such a day.");
  }
  return pattern;
}

function parseField(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const [, range = "", step] = /^([^/]*)(?:\/(\d+))?$/.exec(item) ?? [];
    const every = step === undefined ? 1 : Number(step);
    if (range === "" || every < 1 || every > field.max) throw createCronError(item, field);
    let [from, to] = [field.min, field.max];
    if (range !== "*" && range !== "?") {
      const ends = range.split("-");
      if (ends.length > 2) throw createCronError(item, field);
      from = parseValue(ends[0]!, item, field);
      // `5/15` counts on from 5; a lone `5` is 5.
      to = ends.length === 2 ? parseValue(ends[1]!, item, field) : step === undefined ? from : field.max;
    } else if (field.max === 7) to = 6;
    if (to < from) throw createCronError(item, field);
    for (let value = from; value <= to; value += every) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function parseValue(text: string, item: string, field: Field): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return named + field.min;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.min && value <= field.max)) throw createCronError(item, field);
  return value;
}

const createCronError = (item: string, { name, min, max, names }: Field) =>
  new CronError(
    `"${item.slice(0, 40)}" is not a ${name}: use ${min}-${max}${names ? `, ${names[0]}-${names.at(-1)}` : ""}, *, ranges (1-5), lists (1,3) and steps (*/2).`,
  );

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** The rarest match, February 29 on a given weekday, is at most forty years away. */
const horizonDays = 41 * 366;

/** The first local time from `from` on that matches, by the calendar alone; undefined when there is none. */
export function findNextMatch(pattern: Pattern, from: number): number | undefined {
  const start = Math.ceil(from / minute) * minute;
  let midnight = Math.floor(start / day) * day;
  for (let searched = 0; searched <= horizonDays; ) {
    const date = new Date(midnight);
    if (!pattern.months.has(date.getUTCMonth() + 1)) {
      const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      searched += (next - midnight) / day;
      midnight = next;
      continue;
    }
    if (matchesDay(pattern, date)) {
      for (const h of pattern.hours) {
        if (midnight + h * hour + 59 * minute < start) continue;
        for (const m of pattern.minutes) {
          const at = midnight + h * hour + m * minute;
          if (at >= start) return at;
        }
      }
    }
    midnight += day;
    searched++;
  }
  return undefined;
}

function matchesDay({ daysOfMonth, daysOfWeek, eitherDay }: Pattern, date: Date): boolean {
  const byMonth = daysOfMonth.has(date.getUTCDate());
  const byWeek = daysOfWeek.has(date.getUTCDay());
  return eitherDay ? byMonth || byWeek : byMonth && byWeek;
}
