import { z } from "zod";
import { invokeStream } from "../../../platform/http/index.ts";
import { room } from "../../automations/index.ts";
import { endpointCredentials } from "../contract.ts";
import { callRoute, defineTool, findRoute, id, readOnly } from "./define.ts";

const stream = findRoute(room.routes, "getV1AutomationRunsByIdStream");
const read = findRoute(room.routes, "getV1AutomationRunsById");

/** The result has the last events; earlier ones are only sent as progress. */
const shownEvents = 50;
const shownBytes = 256 * 1024;
const ended = new Set(["succeeded", "failed", "cancelled", "skipped"]);

const Event = z.looseObject({
  attempt: z.int(),
  sequence: z.int(),
  type: z.string(),
  payload: z.record(z.string(), z.unknown()),
});
const State = z.looseObject({ status: z.string(), reasonDetail: z.string().nullable().optional() });

export const watchTool = defineTool({
  name: "watch_run",
  title: "Watch a run",
  description:
    "Follows a run until it ends or the time is over. Sends each event as progress. Returns the run and its last events. If `isOver` is false, call it again with `lastEventId`.",
  route: stream,
  input: z.strictObject({
    runId: id("run, `run_…`"),
    seconds: z.int().min(1).max(600).default(60).describe("How long to wait for the end."),
    lastEventId: z
      .string()
      .max(40)
      .optional()
      .describe("Only events after this one. `lastEventId` of the result before."),
  }),
  output: z.object({
    run: z.looseObject({ id: z.string(), status: z.string() }),
    isOver: z.boolean(),
    events: z.array(Event).describe(`The last events, at most ${shownEvents}.`),
    lastEventId: z.string().nullable(),
  }),
  annotations: readOnly,
  async run(ctx, { runId, seconds, lastEventId }, { signal, onProgress }) {
    const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    const events: { event: z.output<typeof Event>; bytes: number }[] = [];
    let bytes = 0;
    let last = lastEventId ?? null;
    let seen = 0;
    const input = { params: { id: runId }, query: { lastEventId } };
    for await (const { event, id, data } of invokeStream(stream, ctx, input, endpointCredentials, over)) {
      const state = event === "run" ? State.safeParse(data).data : undefined;
      if (state) onProgress({ progress: ++seen, message: `The run is ${state.status}.` });
      if (event === "run") continue;
      const found = Event.safeParse(data).data;
      if (!found) continue;
      last = id ?? last;
      onProgress({ progress: ++seen, message: `${found.attempt}.${found.sequence} ${found.type}` });
      const size = JSON.stringify(found).length;
      events.push({ event: found, bytes: size });
      for (bytes += size; events.length > shownEvents || (bytes > shownBytes && events.length > 1); )
        bytes -= events.shift()!.bytes;
    }
    const { run } = await callRoute(read, ctx, { params: { id: runId } });
    const isOver = ended.has(State.parse(run).status);
    return { run, isOver, events: events.map(({ event }) => event), lastEventId: last };
  },
});
