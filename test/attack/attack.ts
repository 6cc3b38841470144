import { createRandom } from "./random.ts";
import { type AttackRequest, createRequest, operations } from "./requests.ts";
import { type Attacker, type Caller, collectIds, createAttacker, type Victim } from "./tenants.ts";

export interface AttackOptions {
  url: string;
  victim: Victim;
  seed: number;
  count: number;
  /** Requests at the same time. */
  parallel?: number;
  onProgress?(sent: number): void;
}

export interface AttackResult {
  sent: number;
  /** How often each status was answered. */
  statuses: Record<number, number>;
  /** How often each kind of request was answered with success. */
  succeeded: Record<string, number>;
  problems: string[];
}

const maxProblems = 50;
const timeLimitMs = 30_000;
/** After so many requests, the attacker looks whether its credentials still work, and starts anew if not. */
const renewEvery = 500;

/** Texts that no reply may contain: traces of our code, of the database or of the machine. */
const traces =
  /\n\s+at .+:\d+:\d+|\/node_modules\/|\.ts:\d+|syntax error at or near|relation ".+" does not exist|violates .+ constraint|invalid input syntax|ECONNREFUSED .*5432/;

/** Sends requests that are made from the API description, and judges every reply. */
export async function attack(options: AttackOptions): Promise<AttackResult> {
  const { url, victim, seed, count, parallel = 8, onProgress } = options;
  const random = createRandom(seed);
  const result: AttackResult = { sent: 0, statuses: {}, succeeded: {}, problems: [] };
  let attacker = await createAttacker(url);
  let renewal: Promise<void> | undefined;

  const renew = async () => {
    const { status } = await fetch(`${url}/v1/organization`, { headers: attacker.callers[0]!.headers });
    if (status !== 200) attacker = await createAttacker(url);
  };
  const work = async () => {
    while (result.sent < count && result.problems.length < maxProblems) {
      const number = result.sent++;
      if (number > 0 && number % renewEvery === 0) {
        onProgress?.(number);
        renewal = renew();
      }
      await renewal;
      // Each operation has its turn, so that a short attack reaches all of them.
      const operation = operations[number % operations.length]!;
      const request = createRequest(random, operation, { own: attacker.ids, foreign: victim.ids });
      await send(request, random.pick(attacker.callers), attacker);
    }
  };
  const send = async (request: AttackRequest, caller: Caller, { ids }: Attacker) => {
    const { operation, path, headers, body, contentType } = request;
    const complain = (problem: string) =>
      result.problems.push(
        `${problem}\n  ${request.kind}, ${caller.name}: ${operation.method} ${path}${body === undefined ? "" : ` ${body.slice(0, 500)}`}`,
      );
    try {
      const reply = await fetch(url + path, {
        method: operation.method,
        headers: { ...headers, ...(contentType ? { "content-type": contentType } : {}), ...caller.headers },
        ...(body === undefined || operation.method === "GET" ? {} : { body }),
        redirect: "manual",
        signal: AbortSignal.timeout(timeLimitMs),
      });
      const text = await readReply(reply);
      result.statuses[reply.status] = (result.statuses[reply.status] ?? 0) + 1;
      if (reply.ok) {
        result.succeeded[request.kind] = (result.succeeded[request.kind] ?? 0) + 1;
        if (caller.name === "owner") collectIds(text, ids);
      }
      for (const problem of judge(request, reply, text, victim)) complain(problem);
    } catch (error) {
      complain(`no reply: ${(error as Error).message} ${String((error as Error).cause ?? "")}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return result;
}

/** A stream may never end. That it began is all that counts. */
async function readReply(reply: Response): Promise<string> {
  if (!reply.headers.get("content-type")?.startsWith("text/event-stream")) return reply.text();
  await reply.body?.cancel();
  return "";
}

function judge(
  { operation, path, body = "", references = [] }: AttackRequest,
  reply: Response,
  text: string,
  victim: Victim,
): string[] {
  const problems: string[] = [];
  // 502: a server that the request named does not answer. 503: no place is free now, and when to come back.
  const isExpected = reply.status === 502 || (reply.status === 503 && reply.headers.has("retry-after"));
  if (reply.status >= 500 && !isExpected) problems.push(`status ${reply.status}: ${text.slice(0, 300)}`);
  if (traces.test(text) && !operation.path.startsWith("/docs"))
    problems.push(`shows its inside: ${traces.exec(text)![0]}`);
  const sent = decodeURIComponent(path.replace(/%(?![0-9a-f]{2})/gi, "%25").replaceAll("+", " ")) + body;
  const isOfVictim = (word: string) => text.includes(word) && !sent.includes(word);
  const leaked = [...[...victim.ids.values()].flat(), ...victim.words].find(isOfVictim);
  if (leaked !== undefined) problems.push(`shows ${leaked} of another tenant`);
  if (reply.status >= 400 && reply.headers.get("content-type")?.startsWith("application/json")) {
    // SCIM says `detail`, OpenTelemetry says `message`.
    const { error, detail, message } = JSON.parse(text) as Record<string, unknown>;
    if (![error, detail, message].some((part) => typeof part === "string"))
      problems.push(`an error without a code: ${text.slice(0, 200)}`);
  }
  const isNamed = (id: string) =>
    references.includes(id) || (operation.path.includes("{") && path.split("?")[0]!.includes(id));
  const named = [...victim.ids.values()].flat().find(isNamed);
  // An organization without telemetry drops events before it looks at their ids.
  const isDropped = operation.path === "/v1/telemetry/events" && text.includes('"accepted":0');
  if (named !== undefined && reply.ok && !isDropped)
    problems.push(`answers ${reply.status} for ${named} of another tenant`);
  return problems;
}
