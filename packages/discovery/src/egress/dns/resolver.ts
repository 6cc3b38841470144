import { isIP } from "node:net";
import { createFairQueue, NoPlaceError } from "@signalbox/flow-control";
import { createAnswerCache } from "./cache.ts";
import { hostsPath, isLocalhostName, loopbackAddresses, parseHosts } from "./hosts.ts";
import { type Answer, DnsError, queryAddresses } from "./query.ts";
import { candidateNames, parseResolvConf, resolvConfPath } from "./resolv-conf.ts";
import { readSystemFile } from "./system-file.ts";

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Returns every address of a name. The lookup counts against the capacity of `share`. */
export type Resolve = (hostname: string, share: string) => Promise<ResolvedAddress[]>;

export interface ResolverOptions {
  /** Name servers to use instead of the system's. */
  servers?: readonly string[];
  hostsPath?: string;
  resolvConfPath?: string;
  /** Time limit for one name, including its search list. The wait for a turn has the same limit. */
  maxWaitMs?: number;
  /** How many names are queried at the same time. */
  capacity?: number;
}

interface Question {
  answer: Promise<Answer>;
  /** Sends the query. Does nothing when it was already sent. */
  ask(): Promise<unknown>;
  /** Aborted when the query is sent, so that other callers stop waiting for their own place. */
  asked: AbortController;
  waiting: number;
}

/**
 * Resolves names by the hosts file, `localhost` and DNS. It does not use `getaddrinfo`, whose lookups block the few
 * threads that files and password hashing need. Callers share the capacity fairly, lookups of the same name share one
 * query, and answers are cached for a few seconds.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const { servers, maxWaitMs = 4_000, capacity = 64 } = options;
  const hosts = readSystemFile(options.hostsPath ?? hostsPath, parseHosts);
  const configuration = readSystemFile(options.resolvConfPath ?? resolvConfPath, parseResolvConf);
  const queue = createFairQueue({
    capacity,
    maxWaitMs,
    maxWaiting: 1_024,
    maxWaitingPerKey: 128,
  });
  const questions = new Map<string, Question>();
  const cache = createAnswerCache();

  async function query(name: string): Promise<Answer> {
    const { timeoutMs, tries, ...search } = configuration();
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(new DnsError("EAI_AGAIN", name)), maxWaitMs);
    let failure = new DnsError("ENOTFOUND", name);
    try {
      for (const candidate of candidateNames(name, { timeoutMs, tries, ...search })) {
        try {
          return await queryAddresses(candidate, { servers, timeoutMs, tries }, ended.signal);
        } catch (error) {
          if (!(error instanceof DnsError)) throw error;
          // The name may exist under another suffix. If it does not, this failure is reported.
          if (error.code !== "ENOTFOUND") failure = error;
        }
      }
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  function questionFor(name: string): Question {
    const known = questions.get(name);
    if (known) return known;
    const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
    answer.catch(() => {});
    const asked = new AbortController();
    const question: Question = {
      answer,
      asked,
      waiting: 0,
      async ask() {
        if (asked.signal.aborted) return;
        asked.abort();
        try {
          const found = await query(name);
          cache.putAddresses(name, found);
          resolve(found);
        } catch (error) {
          if (error instanceof DnsError) cache.putFailure(name, error);
          reject(error);
        } finally {
          questions.delete(name);
        }
      },
    };
    questions.set(name, question);
    return question;
  }

  /** Waits for a turn of `share` to send the query, or until another caller has sent it. */
  async function waitForTurn(name: string, question: Question, share: string): Promise<void> {
    question.waiting += 1;
    try {
      const release = await queue.enter(share, { signal: question.asked.signal });
      void question.ask().finally(release);
    } catch (error) {
      if (question.asked.signal.aborted) return;
      if (error instanceof NoPlaceError) throw new DnsError("DNS_BUSY", name);
      throw error;
    } finally {
      question.waiting -= 1;
      if (question.waiting === 0 && !question.asked.signal.aborted) questions.delete(name);
    }
  }

  return async (hostname, share) => {
    if (isIP(hostname)) return [{ address: hostname, family: isIP(hostname) }];
    const name = hostname.toLowerCase().replace(/\.$/, "");
    const listed = hosts().get(name) ?? (isLocalhostName(name) ? loopbackAddresses : undefined);
    if (listed) return listed.map((address) => ({ address, family: isIP(address) }));
    const known = cache.get(name);
    if (known instanceof DnsError) throw known;
    if (known) return known.addresses;
    const question = questionFor(name);
    if (!question.asked.signal.aborted) await waitForTurn(name, question, share);
    return (await question.answer).addresses;
  };
}
