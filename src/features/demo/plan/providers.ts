import type { Random } from "../random.ts";
import { prices } from "./automations.ts";
import type { Calendar } from "./calendar.ts";
import type { PlannedRun } from "./types.ts";

const hourMs = 3600_000;
const dollar = 1_000_000;

export interface PlannedKey {
  name: string;
  tail: string;
  createdAt: number;
  /** How long a rotated key is kept from now on. Null: it was not rotated. */
  retiresInMs: number | null;
  disabledAt: number | null;
  verdict: "valid" | "refused";
  message: string;
  testedAt: number;
  issuedAt: number | null;
}

export interface PlannedProvider {
  key: string;
  name: string;
  baseUrl: string;
  models: string[] | null;
  createdAt: number;
  grants: {
    kind: "organization" | "team" | "worker";
    /** A team's name or a worker's key. */
    subject: string | null;
    models: string[] | null;
  }[];
  /** Oldest first. A rotated key is followed by the key that replaced it. */
  keys: PlannedKey[];
}

export interface PlannedLimit {
  kind: "team" | "member" | "provider";
  subject: string;
  period: "day" | "week" | "month";
  mode: "alert" | "budget";
  limitMicros: number;
  warningPercent: number;
  isWarned: boolean;
  createdAt: number;
}

/** The servers do not exist: `.example` is reserved. */
export function planProviders(random: Random, calendar: Calendar): PlannedProvider[] {
  const { at, now } = calendar;
  const key = (name: string, createdAt: number, host: string): PlannedKey => ({
    ...{ name, tail: random.hex(4), createdAt, retiresInMs: null, disabledAt: null, verdict: "valid" },
    ...{ message: `${host} accepts the key and offers 3 models.`, testedAt: createdAt + 20_000 },
    issuedAt: now - random.int(60_000, 40 * 60_000),
  });
  const [acme, globex, initech] = ["llm.acme.example", "api.globex.example", "models.initech.example"];
  const refusedAt = at(-3, "11:21");
  return [
    {
      ...{ key: "acme", name: "Acme", baseUrl: `https://${acme}/v1`, models: null },
      createdAt: at(0, "09:52"),
      grants: [
        { kind: "organization", subject: null, models: null },
        { kind: "worker", subject: "build-1", models: null },
        { kind: "worker", subject: "build-2", models: null },
      ],
      keys: [
        { ...key("First key", at(0, "09:53"), acme), retiresInMs: 19 * hourMs, issuedAt: at(-1, "08:01") },
        key("Production", now - 5 * hourMs, acme),
      ],
    },
    {
      ...{ key: "globex", name: "Globex", baseUrl: `https://${globex}/v1`, models: ["globex-code-*"] },
      createdAt: at(1, "09:30"),
      grants: [
        { kind: "team", subject: "Platform", models: null },
        { kind: "team", subject: "Models", models: ["globex-code-2"] },
      ],
      keys: [key("Build machines", at(1, "09:31"), globex)],
    },
    {
      ...{ key: "initech", name: "Initech trial", baseUrl: `https://${initech}/v1`, models: null },
      createdAt: at(8, "14:05"),
      grants: [{ kind: "team", subject: "Models", models: ["initech-mini"] }],
      keys: [
        { ...key("Old trial", at(8, "14:06"), initech), disabledAt: refusedAt + 90_000, issuedAt: null },
        {
          ...key("Trial", at(8, "14:09"), initech),
          ...{ verdict: "refused", testedAt: refusedAt, issuedAt: at(-4, "16:40") },
          message: `${initech} refused the key (401). Check that it was copied whole and not revoked.`,
        },
      ],
    },
  ];
}

/** The prices of the models, in micro-units per million tokens. */
export const planPrices = (calendar: Calendar) =>
  Object.entries(prices).map(([model, { input, output }]) => ({
    ...{ provider: model.split("-")[0]!, model, createdAt: calendar.at(0, "09:55") },
    validFrom: calendar.at(0, "00:00"),
    rates: { input: input * 1_000_000, output: output * 1_000_000 },
    note: "From the order form of October.",
  }));

/** Alerts whose limits depend on what was spent: one has reached its warning, one is close to it. */
export function planLimits(
  { at, now }: Calendar,
  runs: readonly PlannedRun[],
  teamOf: (person: string) => string,
): PlannedLimit[] {
  const date = new Date(now);
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const starts = {
    day,
    week: day - ((date.getUTCDay() + 6) % 7) * 24 * hourMs,
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
  };
  const sumCosts = (period: PlannedLimit["period"], isOf: (run: PlannedRun, model: string) => boolean) =>
    runs
      .flatMap((run) => run.attempts.flatMap(({ usage }) => usage.filter(({ model }) => isOf(run, model))))
      .filter(({ at: time }) => time >= starts[period])
      .reduce((sum, { costMicros }) => sum + costMicros, 0);
  /** A limit of which this share is spent, or a usual one when nothing is spent yet. */
  const choose = (spent: number, share: number) =>
    spent === 0 ? 40 * dollar : Math.ceil(spent / share / 100_000) * 100_000;
  const models = sumCosts("month", ({ owner }) => teamOf(owner) === "Models");
  const felix = sumCosts("month", ({ owner }) => owner === "felix");
  const globex = sumCosts("week", (_, model) => model.startsWith("globex"));
  const usual = { mode: "alert", warningPercent: 80, isWarned: false } as const;
  return [
    {
      ...{ ...usual, kind: "team", subject: "Models", period: "month", createdAt: at(2, "16:30") },
      limitMicros: choose(models, 0.77),
    },
    {
      ...{ ...usual, kind: "member", subject: "felix", period: "month", createdAt: at(4, "10:12") },
      ...{ limitMicros: choose(felix, 0.88), isWarned: felix > 0 },
    },
    {
      ...{ ...usual, kind: "provider", subject: "globex", period: "week", createdAt: at(6, "09:20") },
      limitMicros: choose(globex, 0.4),
    },
  ];
}
