import type { AutomationScheduleInput, Body } from "@signalbox/client";
import { UsageError } from "../arguments.ts";
import { readInput } from "./input.ts";
import { parseWholeNumber } from "./session.ts";

/** The options of `signalbox automations update`. */
export const changeOptions = {
  name: { type: "string" },
  instructions: { type: "string" },
  "instructions-file": { type: "string" },
  daily: { type: "string" },
  weekly: { type: "string" },
  cron: { type: "string" },
  at: { type: "string" },
  timezone: { type: "string" },
  model: { type: "string" },
  "max-runtime": { type: "string" },
  templates: { type: "string" },
  connections: { type: "string" },
} as const;

/** The options of `signalbox automations create`, beside --file. */
export const createOptions = { ...changeOptions, inactive: { type: "boolean" } } as const;

type Flags = { [Name in keyof typeof createOptions]?: string | boolean | undefined };
type Text = Partial<Record<keyof typeof createOptions, string>>;

const schedules = ["daily", "weekly", "cron", "at"] as const;
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Builds the request body from the options. The server validates it. */
export function buildBody(flags: Flags): Body<"POST /v1/automations"> {
  const text = flags as Text;
  if (!text.name) throw new UsageError("--name is missing; or give a whole automation with --file.");
  if ((text.instructions === undefined) === (text["instructions-file"] === undefined)) {
    throw new UsageError("Give the instructions with --instructions or with --instructions-file.");
  }
  const changes = readChanges(text);
  return {
    ...changes,
    name: text.name,
    instructions: changes.instructions!,
    schedule: buildSchedule(text),
    ...(flags.inactive ? { active: false } : {}),
  };
}

/** Builds the body of a change. Options that are missing leave their fields unchanged. */
export function buildChanges(flags: Flags) {
  const text = flags as Text;
  if (text.instructions !== undefined && text["instructions-file"] !== undefined) {
    throw new UsageError("Give the instructions with --instructions or with --instructions-file.");
  }
  const hasSchedule = [...schedules, "timezone" as const].some((name) => text[name] !== undefined);
  return { ...readChanges(text), ...(hasSchedule ? { schedule: buildSchedule(text) } : {}) };
}

function readChanges(text: Text) {
  const file = text["instructions-file"];
  const instructions = text.instructions ?? (file === undefined ? undefined : readInput(file));
  return {
    ...(text.name === undefined ? {} : { name: text.name }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(text.model === undefined ? {} : { model: parseModel(text.model) }),
    ...(text["max-runtime"] === undefined
      ? {}
      : { maxRuntimeSeconds: parseWholeNumber("max-runtime", text["max-runtime"], 1, 86_400) }),
  };
}

function buildSchedule(text: Text): AutomationScheduleInput {
  const given = schedules.filter((name) => text[name] !== undefined);
  if (given.length > 1) throw new UsageError(`Choose one schedule: --${given.join(" or --")}.`);
  const [kind] = given;
  if (kind === undefined && text.timezone !== undefined) throw new UsageError("--timezone needs a schedule.");
  const timezone = text.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  switch (kind) {
    case "daily":
      return { kind: "daily", ...parseTime("daily", text.daily!), timezone };
    case "weekly":
      return { kind: "weekly", ...parseWeekly(text.weekly!), timezone };
    case "cron":
      return { kind: "cron", expression: text.cron!, timezone };
    case "at":
      return { kind: "once", at: text.at!, timezone };
    default:
      return { kind: "manual" };
  }
}

function parseTime(name: string, text: string): { hour: number; minute: number } {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined) throw new UsageError(`--${name} takes a time of day such as 09:00.`);
  return { hour: Number(hour), minute: Number(minute) };
}

function parseWeekly(text: string) {
  const [days = "", time = ""] = text.split("@");
  const daysOfWeek = days.split(",").map((day) => weekdays.indexOf(day.trim().toLowerCase().slice(0, 3)));
  if (daysOfWeek.includes(-1)) {
    throw new UsageError("--weekly takes weekdays and a time of day, such as mon,thu@09:00.");
  }
  return { daysOfWeek, ...parseTime("weekly", time) };
}

function parseModel(text: string): { providerId: string; modelId: string } {
  const slash = text.indexOf("/");
  if (slash < 1 || slash === text.length - 1) {
    throw new UsageError("--model takes a provider and a model, such as acme/large.");
  }
  return { providerId: text.slice(0, slash), modelId: text.slice(slash + 1) };
}
