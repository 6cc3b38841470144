import type { HttpHeaders } from "../../../platform/http/index.ts";

/** Who speaks: each signs, names events and numbers deliveries in its own way. */
export const dialects = ["github", "gitlab", "gitea", "forgejo", "bitbucket"] as const;
export type Dialect = (typeof dialects)[number];

/**
 * Headers that give a dialect away. Forgejo also sends Gitea's headers, and both send GitHub's, for
 * programs that know no better: the first of these that is there is what the request is.
 */
const signs: readonly [Dialect, readonly string[]][] = [
  ["forgejo", ["x-forgejo-event", "x-forgejo-signature", "x-forgejo-delivery"]],
  ["gitea", ["x-gitea-event", "x-gitea-signature", "x-gitea-delivery"]],
  ["gitlab", ["x-gitlab-event", "x-gitlab-token", "x-gitlab-event-uuid", "webhook-signature"]],
  ["github", ["x-github-event", "x-hub-signature-256", "x-github-delivery"]],
  ["bitbucket", ["x-event-key", "x-hub-signature"]],
];

export function dialectOf(headers: HttpHeaders): Dialect | undefined {
  // GitHub sends most of all; that none of the others is there has to be known all the same.
  for (const [dialect, names] of signs)
    for (const name of names) if (headers[name] !== undefined) return dialect;
  return undefined;
}

const eventHeader: Record<Dialect, string> = {
  github: "x-github-event",
  gitlab: "x-gitlab-event",
  gitea: "x-gitea-event",
  forgejo: "x-forgejo-event",
  bitbucket: "x-event-key",
};

export const eventOf = (dialect: Dialect, headers: HttpHeaders): string =>
  headers[eventHeader[dialect]] ?? "";

/** Best first. Of GitLab's, the first is signed, and the second stays the same when it tries again. */
const deliveryHeaders: Record<Dialect, readonly string[]> = {
  github: ["x-github-delivery"],
  gitlab: ["webhook-id", "idempotency-key", "x-gitlab-event-uuid"],
  gitea: ["x-gitea-delivery"],
  forgejo: ["x-forgejo-delivery"],
  bitbucket: ["x-request-uuid", "x-request-id"],
};

/** The code host's own number of the delivery, and the header that it stood in. */
export function deliveryIdOf(
  dialect: Dialect,
  headers: HttpHeaders,
): { header: string; id: string } | undefined {
  for (const header of deliveryHeaders[dialect]) {
    const id = headers[header];
    if (id) return { header, id };
  }
  return undefined;
}

/** Which connectors a dialect can be about: what a person chose, or `git` where nobody said which it is. */
export const codehostsOf = (dialect: Dialect): readonly string[] =>
  dialect === "gitea" || dialect === "forgejo" ? ["gitea", "forgejo", "git"] : [dialect, "git"];

/** What each sends along that helps to find it again. */
const keptOf: Record<Dialect, readonly string[]> = {
  github: [
    "x-github-delivery",
    "x-github-event",
    "x-github-hook-id",
    "x-github-hook-installation-target-id",
    "x-github-hook-installation-target-type",
  ],
  gitlab: [
    "idempotency-key",
    "webhook-id",
    "webhook-timestamp",
    "x-gitlab-event",
    "x-gitlab-event-uuid",
    "x-gitlab-instance",
    "x-gitlab-webhook-uuid",
  ],
  gitea: ["x-gitea-delivery", "x-gitea-event", "x-gitea-event-type"],
  forgejo: ["x-forgejo-delivery", "x-forgejo-event", "x-forgejo-event-type"],
  bitbucket: ["x-attempt-number", "x-event-key", "x-hook-uuid", "x-request-id", "x-request-uuid"],
};

/** Secrets, and what a secret made: that they came is worth knowing, what they were is not. */
const redactedOf: Record<Dialect, readonly string[]> = {
  github: ["x-hub-signature-256"],
  gitlab: ["webhook-signature", "x-gitlab-token"],
  gitea: ["x-gitea-signature"],
  forgejo: ["x-forgejo-signature"],
  bitbucket: ["authorization", "x-hub-signature"],
};

/** The headers that a person who looks for a mistake will want to see. */
export function headersToKeep(dialect: Dialect, headers: HttpHeaders): Record<string, string> {
  const keep: Record<string, string> = {};
  for (const name of ["content-type", "user-agent", ...keptOf[dialect]]) {
    const value = headers[name];
    if (value !== undefined) keep[name] = value.slice(0, 500);
  }
  for (const name of redactedOf[dialect]) if (headers[name] !== undefined) keep[name] = "[redacted]";
  return keep;
}
