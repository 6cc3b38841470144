import { automations } from "../../../texts/automations.ts";

const { cronWords: words, shortDays, shortMonths } = automations.schedule;

interface Field {
  min: number;
  max: number;
  names?: readonly string[];
}

const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  // 7 is Sunday too.
  { min: 0, max: 7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const nicknames = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** More times than these are not listed one by one. */
const maxListed = 4;

/**
 * A cron expression in words: "Weekdays, 08:45 and 16:45". Undefined when it is not valid, or has no short sentence: then
 * the expression itself is clearer.
 */
export function describeCron(expression: string): string | undefined {
  const text = expression.trim().toLowerCase();
  const parts = (nicknames.get(text) ?? text).split(/\s+/);
  if (parts.length !== fields.length) return undefined;
  const parsed = parts.map((part, i) => parseField(part, fields[i]!));
  if (parsed.some((values) => values === undefined)) return undefined;
  const [minutes, hours, daysOfMonth, months, weekdays] = parsed as number[][];
  const times = describeTimes(minutes!, hours!);
  const isStar = (i: number) => /^[*?]/.test(parts[i]!);
  const days = describeDays(
    daysOfMonth!,
    [...new Set(weekdays!.map((day) => day % 7))].toSorted((a, b) => a - b),
    !isStar(2) && !isStar(4),
  );
  if (times === undefined || days === undefined) return undefined;
  return [days, months!.length < 12 && words.months(listMonths(months!)), times].filter(Boolean).join(", ");
}

function parseField(text: string, field: Field): number[] | undefined {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const [, range, step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(item) ?? [];
    const every = step === undefined ? 1 : Number(step);
    if (range === undefined || every < 1) return undefined;
    let [from, to] = [field.min, field.max === 7 ? 6 : field.max];
    if (range !== "*" && range !== "?") {
      const ends = range.split("-").map((end) => parseValue(end, field));
      const [first, last = step === undefined ? first : field.max] = ends;
      if (ends.length > 2 || ends.includes(undefined) || first === undefined || last === undefined)
        return undefined;
      [from, to] = [first, last];
    }
    if (to < from) return undefined;
    for (let value = from; value <= to; value += every) values.add(value);
  }
  return [...values].toSorted((a, b) => a - b);
}

function parseValue(text: string, { min, max, names }: Field): number | undefined {
  const named = names?.indexOf(text) ?? -1;
  if (named >= 0) return named + min;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= min && value <= max ? value : undefined;
}

const equals = (values: readonly number[], others: readonly number[]): boolean =>
  values.length === others.length && values.every((value, i) => value === others[i]);

/** The step between the values, if there are at least three values and the step is always the same. */
function findStep(values: readonly number[]): number | undefined {
  const step = values[1]! - values[0]!;
  return values.length > 2 && values.every((value, i) => i === 0 || value - values[i - 1]! === step)
    ? step
    : undefined;
}

function describeTimes(minutes: readonly number[], hours: readonly number[]): string | undefined {
  const isEveryHour = hours.length === 24;
  const minuteStep = findStep(minutes);
  // The steps of an hour, from its first minute to its end.
  const fillsHour = minuteStep !== undefined && minutes[0] === 0 && 60 / minuteStep === minutes.length;
  if (isEveryHour) {
    if (fillsHour) return words.everyMinutes(minuteStep);
    if (minutes.length <= maxListed) return words.everyHourAt(words.list(minutes.map(words.minute)));
    return minuteStep === undefined
      ? undefined
      : words.minutesOfHour(minuteStep, words.minute(minutes[0]!), words.minute(minutes.at(-1)!));
  }
  const times = hours.flatMap((hour) => minutes.map((minute) => words.time(hour, minute)));
  if (times.length <= maxListed) return words.list(times);
  const hourStep = findStep(hours);
  if (minutes.length === 1 && hourStep !== undefined)
    return words.range(words.everyHours(hourStep), times[0]!, times.at(-1)!);
  return fillsHour && hourStep === 1
    ? words.range(words.everyMinutes(minuteStep), times[0]!, times.at(-1)!)
    : undefined;
}

function describeDays(
  daysOfMonth: readonly number[],
  weekdays: readonly number[],
  isEither: boolean,
): string | undefined {
  const byMonth =
    daysOfMonth.length < 31 ? words.daysOfMonth(listNumbers(daysOfMonth), daysOfMonth.length) : "";
  const byWeek = weekdays.length < 7 ? listWeekdays(weekdays) : "";
  if (byMonth && byWeek) return isEither ? words.either(byMonth, byWeek) : undefined;
  return byMonth || byWeek || words.everyDay;
}

function listWeekdays(days: readonly number[]): string {
  if (equals(days, [1, 2, 3, 4, 5])) return words.weekdays;
  if (equals(days, [0, 6])) return words.weekends;
  return findStep(days) === 1
    ? words.span(shortDays[days[0]!]!, shortDays[days.at(-1)!]!)
    : days.map((day) => shortDays[day]).join(", ");
}

const listMonths = (months: readonly number[]): string =>
  findStep(months) === 1
    ? words.span(shortMonths[months[0]! - 1]!, shortMonths[months.at(-1)! - 1]!)
    : words.list(months.map((month) => shortMonths[month - 1]!));

const listNumbers = (values: readonly number[]): string =>
  findStep(values) === 1
    ? words.span(String(values[0]), String(values.at(-1)))
    : words.list(values.map(String));
