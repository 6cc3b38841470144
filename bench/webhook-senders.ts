import { createHmac, randomBytes } from "node:crypto";
import { formatRequest, type LoadTurn, measureLoad } from "./load.ts";
import type { Child } from "./measure.ts";

export const webhookSecret = "a secret for the benchmarks alone";
export const buildRepositoryName = (lane: number) => `bench/playbook-${lane}`;

/** The body of a push from GitHub with 8 kB, split at the commit id of the head. */
function buildPushParts(lane: number): [before: string, after: string] {
  const repository = {
    id: lane,
    full_name: buildRepositoryName(lane),
    private: true,
    owner: { login: "bench" },
  };
  const commits = Array.from({ length: 6 }, (_, n) => ({
    id: randomBytes(20).toString("hex"),
    tree_id: randomBytes(20).toString("hex"),
    message: `Change number ${n}: the quick brown fox jumps over the lazy dog`,
    timestamp: "2026-11-15T12:00:00+01:00",
    author: { name: "Ada Lovelace", email: "ada@example.com", username: "ada" },
    committer: { name: "Ada Lovelace", email: "ada@example.com", username: "ada" },
    added: [],
    removed: [],
    modified: Array.from(
      { length: 12 },
      (_, file) => `templates/area-${n}/playbook-${file}-${randomBytes(3).toString("hex")}.md`,
    ),
  }));
  const body = { ref: "refs/heads/main", before: "0".repeat(40), after: "HEAD", repository, commits };
  const pad = "x".repeat(Math.max(0, 8192 - 36 - 13 - JSON.stringify(body).length));
  const [before, after] = JSON.stringify({ ...body, padding: pad }).split("HEAD") as [string, string];
  return [before, after];
}

export interface WebhookSenders {
  /** Sends pushes with new heads for `seconds`, on all connections. `bad`: signed with another secret. */
  push(seconds: number, bad?: boolean): Promise<LoadTurn>;
}

/** The repository of one connection. */
interface Lane {
  body: [before: string, after: string];
  /** The bytes of its requests. Only the values below change from one request to the next. */
  request: Buffer;
  head: number;
  delivery: number;
  signature: number;
  /** Signed before the measurement, because both processes share the machine. */
  ready: { head: string; signature: string }[];
}

/** Makes every delivery id of this process unique. */
let deliveryCount = 0;
const formatDeliveryId = () => `${process.pid}-${++deliveryCount}`.padStart(36, "0");

const placeholders = { head: "H".repeat(40), delivery: "D".repeat(36), signature: "S".repeat(64) };

function createLane(host: string, lane: number): Lane {
  const [before, after] = buildPushParts(lane);
  const headers = {
    "user-agent": "GitHub-Hookshot/044aadd",
    accept: "*/*",
    "content-type": "application/json",
    "x-github-event": "push",
    "x-github-hook-id": "292430182",
    "x-github-delivery": placeholders.delivery,
    "x-hub-signature-256": `sha256=${placeholders.signature}`,
  };
  const body = before + placeholders.head + after;
  const request = Buffer.from(formatRequest(host, "POST", "/v1/webhooks/connectors/codehost", headers, body));
  return {
    body: [before, after],
    request,
    head: request.indexOf(placeholders.head),
    delivery: request.indexOf(placeholders.delivery),
    signature: request.indexOf(placeholders.signature),
    ready: [],
  };
}

function sign({ body }: Lane, bad: boolean) {
  const head = randomBytes(20).toString("hex");
  const signature = createHmac("sha256", bad ? "another secret altogether" : webhookSecret)
    .update(body[0] + head + body[1])
    .digest("hex");
  return { head, signature };
}

export function createWebhookSenders(
  child: Child,
  laneCount: number,
  accepted: number,
  refused: number,
): WebhookSenders {
  const lanes = Array.from({ length: laneCount }, (_, n) => createLane(new URL(child.url).host, n));
  return {
    push(seconds, bad = false) {
      const perLane = Math.ceil((16_000 * seconds) / laneCount);
      for (const lane of lanes) lane.ready = Array.from({ length: perLane }, () => sign(lane, bad));
      return measureLoad({
        child,
        seconds,
        connections: laneCount,
        expected: bad ? refused : accepted,
        next(n) {
          const lane = lanes[n]!;
          const { head, signature } = lane.ready.pop() ?? sign(lane, bad);
          lane.request.write(head, lane.head, "latin1");
          lane.request.write(signature, lane.signature, "latin1");
          lane.request.write(formatDeliveryId(), lane.delivery, "latin1");
          return lane.request;
        },
      });
    },
  };
}
