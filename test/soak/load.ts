import { callServer, createQueuedRuns } from "../process/reporting.ts";
import { webhookSecret } from "../process/webhook-deliveries.ts";
import { pushBody, signedHeaders } from "../webhooks.ts";
import type { Work } from "./soak.ts";

const runCount = 20;
/** After so many events a run is ended by the next one, as in an organization that works. */
const eventsPerRun = 500;

/** What a busy instance does all day: runners report, people look, code hosts deliver, agents ask who they are. */
export async function createLoad(url: string): Promise<Work[]> {
  const { access, runIds } = await createQueuedRuns(url, runCount);
  const { body } = await callServer(access, "/v1/automations");
  const automationId = String(body.items[0].id);
  const startReporting = (id: Promise<string>) => ({ id, sequence: 0, last: id as Promise<unknown> });
  const runs = runIds.map((id) => startReporting(Promise.resolve(id)));
  const createRun = async () =>
    String((await callServer(access, `/v1/automations/${automationId}/run`, undefined, "POST")).body.run.id);
  let turn = 0;
  const get = (path: string) => () => callServer(access, path);
  return [
    {
      name: "event",
      weight: 5,
      async send() {
        const at = turn++ % runs.length;
        if (runs[at]!.sequence >= eventsPerRun) runs[at] = startReporting(createRun());
        const run = runs[at]!;
        const sequence = run.sequence++;
        // A runner sends an event when the one before it is stored. Sent earlier, it could arrive first and be refused.
        const stored = run.last.then(async () =>
          callServer(access, `/v1/automation-runs/${await run.id}/events`, {
            attempt: 1,
            sequence,
            type: "assistant",
            payload: { text: `Step ${sequence}` },
            createdAt: Date.now(),
          }),
        );
        run.last = stored;
        return stored;
      },
    },
    { name: "runs", weight: 1, send: get("/v1/automation-runs?limit=20") },
    { name: "organization", weight: 2, send: get("/v1/organization") },
    { name: "usage", weight: 1, send: get("/v1/automation-usage?groupBy=model") },
    {
      name: "webhook",
      weight: 1,
      async send() {
        const body = pushBody({ repository: "acme/soak" });
        const reply = await fetch(`${url}/v1/webhooks/connectors/github`, {
          method: "POST",
          headers: signedHeaders.github(webhookSecret, body),
          body,
        });
        await reply.text();
        return { status: reply.status };
      },
    },
  ];
}
