import { type Body, RefusedError } from "@signalbox/client";
import { readArguments, UsageError } from "../arguments.ts";
import { exit, type Io } from "../io.ts";
import { formatCost, formatLocalTime } from "./format.ts";
import {
  connectionOptions,
  createStatusColumn,
  openAction,
  openSession,
  parseLimit,
  parseWholeNumber,
  type Session,
} from "./session.ts";

/** The options of prices and budgets, for the help of `signalbox llm-providers`. */
export const costOptionsHelp = `  --input, --output, --cache-read, --cache-write DOLLARS
                     set-price: per million tokens
  --from TIME        set-price: from when on, such as 2026-11-01 (now)
  --note TEXT        set-price: where the price comes from
  --period PERIOD    set-budget: day, week or month (month)
  --alert            set-budget: only notify, refuse nothing
  --warning PERCENT  set-budget: when to notify (80)`;

const listOptions = { ...connectionOptions, limit: { type: "string", default: "50" } } as const;

export async function prices(args: string[], io: Io, help: string): Promise<number> {
  const { values } = readArguments(args, { help, options: listOptions });
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  const formatRate = (rate: number | undefined) => (rate === undefined ? "" : formatCost(rate));
  session.showList(
    await session.client.llmPrices.list({ limit }),
    [
      { title: "PROVIDER", value: ({ provider }) => provider },
      { title: "MODEL", value: ({ model }) => model },
      { title: "FROM", value: ({ validFrom }) => formatLocalTime(validFrom), whole: true },
      { title: "INPUT", value: ({ rates }) => formatRate(rates.input) },
      { title: "OUTPUT", value: ({ rates }) => formatRate(rates.output) },
      { title: "CACHE READ", value: ({ rates }) => formatRate(rates.cacheRead) },
      { title: "CACHE WRITE", value: ({ rates }) => formatRate(rates.cacheWrite) },
      { title: "NOTE", value: ({ note }) => note },
    ],
    "The organization has no prices of its own. Those of the catalogue apply.",
  );
  return exit.ok;
}

/** Reads an amount of dollars as micro-units. */
function parseDollars(name: string, text: string): number {
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text))
    throw new UsageError(`--${name} takes dollars such as 3 or 0.25, with at most six decimals.`);
  return Math.round(Number(text) * 1_000_000);
}

function parseTime(text: string | undefined): number {
  const time = text === undefined ? Date.now() : Date.parse(text);
  if (Number.isNaN(time)) throw new UsageError(`--from ${text} is not a valid time. Write it as 2026-11-01.`);
  return time;
}

export async function setPrice(args: string[], io: Io, help: string): Promise<number> {
  const options = {
    input: { type: "string" },
    output: { type: "string" },
    "cache-read": { type: "string" },
    "cache-write": { type: "string" },
    from: { type: "string" },
    note: { type: "string" },
  } as const;
  const opened = openAction(args, io, { help, what: "the provider and the model: anthropic/model", options });
  const { word, values, session } = opened;
  const slash = word.indexOf("/");
  if (slash < 1 || slash === word.length - 1)
    throw new UsageError("Name a provider and a model, such as anthropic/claude-sonnet-4-5.");
  if (values.input === undefined && values.output === undefined)
    throw new UsageError("Give the price of --input or --output, in dollars per million tokens.");
  const rate = (field: string, name: keyof typeof options) =>
    values[name] === undefined ? {} : { [field]: parseDollars(name, values[name]) };
  const reply = await session.client.llmPrices.set({
    provider: word.slice(0, slash),
    model: word.slice(slash + 1),
    validFrom: parseTime(values.from),
    rates: {
      ...rate("input", "input"),
      ...rate("output", "output"),
      ...rate("cacheRead", "cache-read"),
      ...rate("cacheWrite", "cache-write"),
    },
    ...(values.note === undefined ? {} : { note: values.note }),
  });
  const again = reply.recomputing ? " Costs since then are computed again." : "";
  const since = formatLocalTime(reply.price.validFrom);
  session.showResult(reply, `The price of ${reply.price.model} is set from ${since} on.${again}`);
  return exit.ok;
}

export async function budgets(args: string[], io: Io, help: string): Promise<number> {
  const { values } = readArguments(args, { help, options: listOptions });
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  session.showList(
    await session.client.llmBudgets.list({ limit }),
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "SUBJECT", value: ({ subject }) => `${subject.kind} ${subject.name ?? subject.id}` },
      { title: "PERIOD", value: ({ period }) => period },
      { title: "MODE", value: ({ mode }) => mode },
      { title: "SPENT", value: ({ spentMicros }) => formatCost(spentMicros) },
      { title: "LIMIT", value: ({ limitMicros }) => formatCost(limitMicros) },
      createStatusColumn(session, "STATE", ({ state }) => state),
      { title: "RESETS", value: ({ resetsAt }) => formatLocalTime(resetsAt), whole: true },
    ],
    "There are no budgets.",
  );
  return exit.ok;
}

type NewBudget = Body<"POST /v1/llm-budgets">;

function parseSubject(word: string): NewBudget["subject"] {
  if (word === "organization") return { kind: "organization" };
  const [, kind, id] = /^(team|member|provider):(.+)$/.exec(word) ?? [];
  if (!kind || !id)
    throw new UsageError("Name the subject: organization, team:ID, member:ID or provider:ID.");
  return { kind: kind as "team" | "member" | "provider", id };
}

export async function setBudget(args: string[], io: Io, help: string): Promise<number> {
  const options = {
    limit: { type: "string" },
    period: { type: "string", default: "month" },
    alert: { type: "boolean", default: false },
    warning: { type: "string", default: "80" },
  } as const;
  const { word, values, session } = openAction(args, io, { help, what: "the subject", options });
  const { period } = values;
  if (period !== "day" && period !== "week" && period !== "month")
    throw new UsageError("--period must be day, week or month.");
  if (values.limit === undefined) throw new UsageError("Give the --limit in dollars.");
  const subject = parseSubject(word);
  const terms = {
    mode: values.alert ? ("alert" as const) : ("budget" as const),
    limitMicros: parseDollars("limit", values.limit),
    warningPercent: parseWholeNumber("warning", values.warning, 1, 100),
  };
  const reply = await createOrChange(session, { subject, period, ...terms });
  const { budget } = reply;
  const spent = `${formatCost(budget.spentMicros)} of ${formatCost(budget.limitMicros)} are spent.`;
  session.showResult(reply, `The ${budget.mode} per ${budget.period} is set (${budget.id}). ${spent}`);
  return exit.ok;
}

/** A subject has one budget for each period. */
async function createOrChange({ client }: Pick<Session, "client">, wanted: NewBudget) {
  try {
    return await client.llmBudgets.create(wanted);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== "llm_budget_exists") throw error;
    const { subject, period, ...terms } = wanted;
    for await (const one of client.paginate("GET /v1/llm-budgets")) {
      const isSame = one.subject.kind === subject.kind && (subject.id ?? one.subject.id) === one.subject.id;
      if (isSame && one.period === period) return client.llmBudgets.change(one.id, terms);
    }
    throw error;
  }
}
