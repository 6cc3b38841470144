import type { AutomationSchedule, AutomationScheduleInput } from "@signalbox/client";
import { automations } from "../../../texts/automations.ts";
import { describeCron } from "./cron-words.ts";

/** Between the schedule of the API and the fields of the builder. */

export const scheduleKinds = [
  "manual",
  "minutes",
  "hours",
  "daily",
  "weekdays",
  "weekly",
  "monthly",
  "once",
  "cron",
] as const;
export type ScheduleKind = (typeof scheduleKinds)[number];

/** All fields of the builder. A kind uses some of them; the others keep what was entered. */
export interface ScheduleForm {
  kind: ScheduleKind;
  /** For minutes and hours. */
  every: number;
  /** Minutes after the hour, for hours. */
  minute: number;
  /** `09:30` */
  time: string;
  /** 0 is Sunday. */
  days: number[];
  dayOfMonth: number;
  /** `2026-11-20T09:30`, local time of the zone. */
  date: string;
  expression: string;
  timezone: string;
}

/** Steps that divide an hour or a day, so that the distances are equal. */
export const minuteSteps = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];
export const hourSteps = [1, 2, 3, 4, 6, 8, 12];

const two = (value: number): string => String(value).padStart(2, "0");
const toTime = (hour: number, minute: number): string => `${two(hour)}:${two(minute)}`;
const workdays = [1, 2, 3, 4, 5];

export const createScheduleForm = (timezone: string): ScheduleForm => ({
  kind: "weekdays",
  every: 15,
  minute: 0,
  time: "09:00",
  days: [1],
  dayOfMonth: 1,
  date: "",
  expression: "0 9 * * *",
  timezone,
});

/** An empty field is not midnight. It becomes null in JSON, and the server says what it expects. */
function splitTime(time: string): { hour: number; minute: number } {
  const [hour = Number.NaN, minute = Number.NaN] = time === "" ? [] : time.split(":").map(Number);
  return { hour, minute };
}

export function toSchedule(form: ScheduleForm): AutomationScheduleInput {
  const { kind, timezone, every, minute, days, dayOfMonth } = form;
  const at = splitTime(form.time);
  switch (kind) {
    case "manual":
      return { kind: "manual" };
    case "once":
      return { kind: "once", at: form.date, timezone };
    case "minutes":
      return { kind: "cron", expression: every === 1 ? "* * * * *" : `*/${every} * * * *`, timezone };
    case "hours":
      return { kind: "cron", expression: `${minute} ${every === 1 ? "*" : `*/${every}`} * * *`, timezone };
    case "daily":
      return { kind: "daily", ...at, timezone };
    case "weekdays":
      return { kind: "weekly", daysOfWeek: workdays, ...at, timezone };
    case "weekly":
      return { kind: "weekly", daysOfWeek: days.toSorted((a, b) => a - b), ...at, timezone };
    case "monthly":
      return { kind: "cron", expression: `${at.minute} ${at.hour} ${dayOfMonth} * *`, timezone };
    case "cron":
      return { kind: "cron", expression: form.expression.trim(), timezone };
  }
}

const isWorkdays = (days: readonly number[]): boolean =>
  days.length === workdays.length && workdays.every((day) => days.includes(day));

/** What a cron expression means in the words of the builder. Undefined when the builder has no words for it. */
function readCron(expression: string): Partial<ScheduleForm> | undefined {
  const text = expression.trim().replaceAll(/\s+/g, " ");
  if (text === "* * * * *") return { kind: "minutes", every: 1 };
  const minutes = /^\*\/(\d{1,2}) \* \* \* \*$/.exec(text);
  if (minutes && minuteSteps.includes(Number(minutes[1])))
    return { kind: "minutes", every: Number(minutes[1]) };
  const hours = /^(\d{1,2}) (?:\*|\*\/(\d{1,2})) \* \* \*$/.exec(text);
  if (hours && Number(hours[1]) < 60 && hourSteps.includes(Number(hours[2] ?? 1)))
    return { kind: "hours", every: Number(hours[2] ?? 1), minute: Number(hours[1]) };
  const monthly = /^(\d{1,2}) (\d{1,2}) (\d{1,2}) \* \*$/.exec(text);
  if (monthly) {
    const [minute, hour, dayOfMonth] = monthly.slice(1).map(Number) as [number, number, number];
    return { kind: "monthly", time: toTime(hour, minute), dayOfMonth };
  }
  return undefined;
}

/** Local time of a zone as the value of a field. */
export function toLocalText(at: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const read = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return `${read("year")}-${read("month")}-${read("day")}T${read("hour")}:${read("minute")}`;
}

export function toScheduleForm(schedule: AutomationSchedule, fallbackZone: string): ScheduleForm {
  const base = createScheduleForm("timezone" in schedule ? schedule.timezone : fallbackZone);
  switch (schedule.kind) {
    case "manual":
      return { ...base, kind: "manual" };
    case "once":
      return { ...base, kind: "once", date: toLocalText(schedule.at, schedule.timezone) };
    case "daily":
      return { ...base, kind: "daily", time: toTime(schedule.hour, schedule.minute) };
    case "weekly":
      return {
        ...base,
        kind: isWorkdays(schedule.daysOfWeek) ? "weekdays" : "weekly",
        days: schedule.daysOfWeek,
        time: toTime(schedule.hour, schedule.minute),
      };
    case "cron":
      return {
        ...base,
        kind: "cron",
        expression: schedule.expression,
        ...readCron(schedule.expression),
      };
  }
}

/** A schedule in a few words: "Weekdays, 09:30". */
export function describeSchedule(schedule: AutomationSchedule): string {
  const { words, shortDays } = automations.schedule;
  const form = toScheduleForm(schedule, "UTC");
  switch (form.kind) {
    case "manual":
      return words.manual;
    case "once":
      return words.once(form.date.replace("T", " "));
    case "minutes":
      return words.minutes(form.every);
    case "hours":
      return words.hours(form.every, form.minute);
    case "daily":
      return words.daily(form.time);
    case "weekdays":
      return words.weekdays(form.time);
    case "weekly":
      return words.weekly(form.days.map((day) => shortDays[day]).join(", "), form.time);
    case "monthly":
      return words.monthly(form.dayOfMonth, form.time);
    case "cron":
      return describeCron(form.expression) ?? words.cron(form.expression);
  }
}

/** The cron expression to show beside the words. Undefined when the builder can show the schedule, or has no words. */
export function findExpression(schedule: AutomationSchedule): string | undefined {
  const { kind, expression } = toScheduleForm(schedule, "UTC");
  return kind === "cron" && describeCron(expression) !== undefined ? expression : undefined;
}
