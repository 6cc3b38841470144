import { newIdAt } from "../../../platform/ids.ts";
import type { Person } from "../plan/index.ts";
import type { Ids } from "./ids.ts";

const browsers = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
];

/** The audit author for a person with a session. The IP addresses are reserved for documentation. */
export function createActor(people: readonly Person[], ids: Ids, key: string, at: number) {
  const index = people.findIndex((one) => one.key === key);
  return {
    actorUserId: ids.user(key),
    actorMemberId: ids.member(key),
    actorName: people[index]!.name,
    credential: "session",
    credentialId: ids.session(key),
    address: `198.51.100.${20 + index}`,
    userAgent: browsers[index % browsers.length]!,
    requestId: newIdAt("req", at),
  };
}
