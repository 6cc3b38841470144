import { cleanText } from "@signalbox/command-line";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import {
  formatCount,
  formatDuration,
  formatKnownCost,
  formatLocalTime,
  formatRunTime,
  paintStatus,
} from "./remote/format.ts";
import {
  cleanLines,
  connectionHelp,
  connectionOptions,
  createGroup,
  createStatusColumn,
  openAction,
  openSession,
  parseLimit,
  parseWholeNumber,
} from "./remote/session.ts";
import { formatEvent, watch as watchRun } from "./remote/watch.ts";

const help = `
Usage: signalbox runs <action> [options]

Actions:
  list                     runs, newest first
  show <id>                one run: its state and why, what it used, its last events
  watch <id>               what happens, as it happens, until the run has ended
  cancel <id>              cancel a waiting run, ask a running one to stop
  retry <id> [--watch]     queue an ended run again, with the revision it used

Options:
  --automation ID    list: only of this automation
  --status A,B       list: queued, running, succeeded, failed, cancelled, skipped
  --limit N          list: how many at most (20)
  --events N         show: how many of the last events, 0 to 1000 (10)
  --watch            retry: follow the new run to its end
  every action:${connectionHelp}

watch (and --watch) ends with 0 when the run succeeded and with 1 when it did not; with --json it prints
one JSON object a line: {"type":"event","event"}, {"type":"run","run"} or {"type":"reconnecting","reason"}.

Examples:
  signalbox runs list --status failed,skipped
  signalbox runs watch run_01m7… && echo it succeeded
  signalbox runs retry run_01m7… --watch
`;

const what = "the run's id";
const statuses = ["queued", "running", "succeeded", "failed", "cancelled", "skipped"];

async function list(args: string[], io: Io): Promise<number> {
  const options = {
    ...connectionOptions,
    automation: { type: "string" },
    status: { type: "string" },
    limit: { type: "string", default: "20" },
  } as const;
  const { values } = readArguments(args, { help, options });
  const { status, automation: automationId } = values;
  if (status?.split(",").some((one) => !statuses.includes(one))) {
    throw new UsageError(`--status takes some of ${statuses.join(", ")}, separated by commas.`);
  }
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  const page = await session.client.runs.list({ status, automationId, limit });
  session.showList(
    page,
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "AUTOMATION", value: ({ automationName }) => automationName },
      createStatusColumn(session, "STATUS", ({ status }) => status),
      { title: "MADE", value: ({ createdAt }) => formatLocalTime(createdAt), whole: true },
      { title: "TOOK", value: (run) => formatRunTime(run), align: "right" },
      {
        title: "WHY",
        value: ({ reason, reasonDetail, error }) => reasonDetail ?? error?.message ?? reason ?? "",
      },
    ],
    "No run matches.",
  );
  return exit.ok;
}

async function show(args: string[], io: Io): Promise<number> {
  const options = { events: { type: "string", default: "10" } } as const;
  const { values, word: id, session } = openAction(args, io, { help, what, options });
  const limit = parseWholeNumber("events", values.events, 0, 1000);
  const { paint, client } = session;
  const [detail, last] = await Promise.all([
    client.runs.read(id),
    limit === 0 ? { items: [], nextCursor: null } : client.runs.lastEvents(id, limit),
  ]);
  const { run, automation, usage, attempts } = detail;
  const events = last.items.toReversed();
  const runners = [...new Set(attempts.map(({ runnerId }) => runnerId).filter((one) => one !== null))];
  session.showOne({ ...detail, lastEvents: events }, [
    ["id", cleanText(run.id)],
    ["automation", cleanText(`${automation.name} (${automation.id}, revision ${automation.revision})`)],
    ["member", cleanText(run.memberName ?? `${run.memberId} (has left)`)],
    ["status", paintStatus(paint, run.status)],
    ["why", cleanText([run.reason, run.reasonDetail ?? run.error?.message].filter(Boolean).join(": "))],
    ["trigger", run.retryOf === null ? run.trigger : cleanText(`retry of ${run.retryOf}`)],
    ["created", formatLocalTime(run.createdAt)],
    ["waited", run.startedAt === null ? null : formatDuration(run.startedAt - run.createdAt)],
    ["took", formatRunTime(run)],
    ["attempts", run.attempt > 0 ? String(run.attempt) : null],
    ["runner", cleanText(runners.join(", "))],
    ["tokens", `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`],
    ["cost", formatKnownCost(usage)],
    ["late reports", run.lateReports > 0 ? formatCount(run.lateReports) : null],
    ["session", run.sessionId && cleanText(run.sessionId)],
  ]);
  if (session.json) return exit.ok;
  if (run.resultSummary) io.out(`\n${cleanLines(run.resultSummary)}`);
  if (events.length > 0) {
    io.out(paint.dim(`\n${last.nextCursor === null ? "events" : `the last ${events.length} events`}`));
    for (const event of events) for (const line of formatEvent(session, event)) io.out(line);
  }
  return exit.ok;
}

async function watch(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  return watchRun(session, id);
}

async function cancel(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  const reply = await session.client.runs.cancel(id);
  const { run } = reply;
  session.showResult(
    reply,
    run.status === "cancelled"
      ? `${run.id} is cancelled.`
      : `${run.id} was asked to stop; it is still ${run.status}.`,
  );
  return exit.ok;
}

async function retry(args: string[], io: Io): Promise<number> {
  const options = { watch: { type: "boolean", default: false } } as const;
  const { values, word: id, session } = openAction(args, io, { help, what, options });
  const reply = await session.client.runs.retry(id);
  if (values.watch) return watchRun(session, reply.run.id);
  session.showResult(
    reply,
    `Queued ${reply.run.id}, a retry of ${id}. Follow it with \`signalbox runs watch ${reply.run.id}\`.`,
  );
  return exit.ok;
}

export const runs = createGroup(help, { list, show, watch, cancel, retry });
