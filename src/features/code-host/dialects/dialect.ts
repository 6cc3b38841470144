import type { HttpHeaders } from "../../../platform/http/index.ts";

/** Each dialect has its own signatures, event names and delivery ids. */
export const dialects = ["github", "gitlab", "gitea", "forgejo", "bitbucket"] as const;
export type Dialect = (typeof dialects)[number];

/**
 * Headers that identify a dialect. Forgejo also sends the headers of Gitea, and both send those of GitHub, so the
 * first match decides.
 */
const identifyingHeaders: readonly [Dialect, readonly string[]][] = [
  ["forgejo", ["x-forgejo-event", "x-forgejo-signature", "x-forgejo-delivery"]],
  ["gitea", ["x-gitea-event", "x-gitea-signature", "x-gitea-delivery"]],
  ["gitlab", ["x-gitlab-event", "x-gitlab-token", "x-gitlab-event-uuid", "webhook-signature"]],
  ["github", ["x-github-event", "x-hub-signature-256", "x-github-delivery"]],
  ["bitbucket", ["x-event-key", "x-hub-signature"]],
];

export function detectDialect(headers: HttpHeaders): Dialect | undefined {
  for (const [dialect, names] of identifyingHeaders)
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

export const readEventName = (dialect: Dialect, headers: HttpHeaders): string =>
  headers[eventHeader[dialect]] ?? "";

/** The best header first. Of GitLab's, the first is signed, and the second stays the same for retries. */
const deliveryHeaders: Record<Dialect, readonly string[]> = {
  github: ["x-github-delivery"],
  gitlab: ["webhook-id", "idempotency-key", "x-gitlab-event-uuid"],
  gitea: ["x-gitea-delivery"],
  forgejo: ["x-forgejo-delivery"],
  bitbucket: ["x-request-uuid", "x-request-id"],
};

/** Returns the code host's id of the delivery, and the header that contains it. */
export function readDeliveryId(
  dialect: Dialect,
  headers: HttpHeaders,
): { header: string; id: string } | undefined {
  for (const header of deliveryHeaders[dialect]) {
    const id = headers[header];
    if (id) return { header, id };
  }
  return undefined;
}

/** The code hosts of connectors that a delivery may concern. `git` matches every dialect. */
export const listCodeHosts = (dialect: Dialect): readonly string[] =>
  dialect === "gitea" || dialect === "forgejo" ? ["gitea", "forgejo", "git"] : [dialect, "git"];

/** Headers that help to find a delivery at its code host. */
const storedHeaders: Record<Dialect, readonly string[]> = {
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

/** Secrets and signatures. Only their presence is stored. */
const redactedHeaders: Record<Dialect, readonly string[]> = {
  github: ["x-hub-signature-256"],
  gitlab: ["webhook-signature", "x-gitlab-token"],
  gitea: ["x-gitea-signature"],
  forgejo: ["x-forgejo-signature"],
  bitbucket: ["authorization", "x-hub-signature"],
};

/** Returns the headers to store, for people who look for a mistake. */
export function selectHeaders(dialect: Dialect, headers: HttpHeaders): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const name of ["content-type", "user-agent", ...storedHeaders[dialect]]) {
    const value = headers[name];
    if (value !== undefined) selected[name] = value.slice(0, 500);
  }
  for (const name of redactedHeaders[dialect]) if (headers[name] !== undefined) selected[name] = "[redacted]";
  return selected;
}
