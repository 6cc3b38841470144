import { type Item, type Kind, maxPerKind, type Subject } from "./contract.ts";

type Details = Partial<
  Pick<Item, "related" | "code" | "message" | "count" | "since" | "dueAt" | "used" | "limit">
> & { ownerId?: string | null; ownerName?: string | null };

type GivenSubject = Omit<Subject, "parentId" | "parentName"> &
  Partial<Pick<Subject, "parentId" | "parentName">>;

export const createItem = (
  severity: Item["severity"],
  kind: Kind,
  subject: GivenSubject,
  { ownerId, ownerName, ...details }: Details,
): Item => ({
  ...{
    key: `${kind} ${subject.id}`,
    kind,
    severity,
    subject: { parentId: null, parentName: null, ...subject },
  },
  owner: ownerId && ownerName ? { memberId: ownerId, name: ownerName } : null,
  ...{
    related: null,
    code: null,
    message: null,
    count: 1,
    since: null,
    dueAt: null,
    used: null,
    limit: null,
  },
  ...details,
});

/** One more than is returned, to know whether there are more. */
export const rowLimit = maxPerKind + 1;
