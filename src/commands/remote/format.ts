import type { Automation, AutomationRun } from "@signalbox/client";
import type { Paint } from "@signalbox/command-line";

const padTwoDigits = (value: number) => String(value).padStart(2, "0");

/** Formats a time in local time, in a form that sorts by time. */
export function formatLocalTime(at: number | null): string {
  if (at === null) return "";
  const date = new Date(at);
  const day = `${date.getFullYear()}-${padTwoDigits(date.getMonth() + 1)}-${padTwoDigits(date.getDate())}`;
  return `${day} ${padTwoDigits(date.getHours())}:${padTwoDigits(date.getMinutes())}`;
}

/** The latest time of a date. A runner can report later ones, up to 2^53 − 1. */
const maxTime = 8.64e15;

export function formatClockTime(at: number): string {
  const date = new Date(Math.min(at, maxTime));
  return `${padTwoDigits(date.getHours())}:${padTwoDigits(date.getMinutes())}:${padTwoDigits(date.getSeconds())}`;
}

export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** How long a run took, or has taken so far. */
export const formatRunTime = ({
  startedAt,
  finishedAt,
}: Pick<AutomationRun, "startedAt" | "finishedAt">): string =>
  startedAt === null ? "" : formatDuration((finishedAt ?? Date.now()) - startedAt);

/** Formats millionths as units with two to six decimals. */
export function formatCost(micros: number): string {
  const [units, decimals] = (micros / 1e6).toFixed(6).split(".") as [string, string];
  return `${units}.${decimals.replace(/0{1,4}$/, "")}`;
}

/** A cost of which a part is not known is a lower bound. */
export const formatKnownCost = ({
  costMicros,
  priced,
}: {
  costMicros: number | null;
  priced: boolean;
}): string => (costMicros === null ? "not known" : `${priced ? "" : "more than "}${formatCost(costMicros)}`);

export const formatCount = (value: number): string => value.toLocaleString("en-US");

const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export function formatSchedule(given: Automation["schedule"]): string {
  switch (given.kind) {
    case "manual":
      return "by hand";
    case "once":
      return `once, ${formatLocalTime(given.at)}`;
    case "daily":
      return `daily ${padTwoDigits(given.hour)}:${padTwoDigits(given.minute)} ${given.timezone}`;
    case "weekly":
      return `${given.daysOfWeek.map((day) => days[day]).join(",")} ${padTwoDigits(given.hour)}:${padTwoDigits(given.minute)} ${given.timezone}`;
    case "cron":
      return `cron ${given.expression} ${given.timezone}`;
  }
}

const colours: Record<string, Exclude<keyof Paint, "bold">> = {
  succeeded: "green",
  active: "green",
  connected: "green",
  running: "cyan",
  queued: "cyan",
  expiring: "yellow",
  uncertain: "yellow",
  skipped: "yellow",
  cancelled: "yellow",
  failed: "red",
  needs_reconnect: "red",
  approved: "green",
  ok: "green",
  tools_held: "yellow",
  needs_consent: "yellow",
  held: "yellow",
  refused: "yellow",
  sign_in: "red",
  no_answer: "red",
  tool_error: "red",
  timed_out: "red",
};

export const paintStatus = (paint: Paint, status: string, text = status): string =>
  paint[colours[status] ?? "dim"](text);
