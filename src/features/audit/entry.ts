/** An entry as it is stored, before it has its place in the chain. */
export interface Entry {
  id: string;
  at: number;
  action: string;
  actorUserId: string | null;
  actorMemberId: string | null;
  actorName: string | null;
  credential: string;
  credentialId: string | null;
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
  targetType: string;
  targetId: string | null;
  /** As JSON. */
  before: string | null;
  after: string | null;
}

/** Who made the change, and how. */
export type Actor = Pick<
  Entry,
  | "actorUserId"
  | "actorMemberId"
  | "actorName"
  | "credential"
  | "credentialId"
  | "address"
  | "userAgent"
  | "requestId"
>;

/** The author of changes that no request caused. */
export const systemActor: Actor = {
  actorUserId: null,
  actorMemberId: null,
  actorName: null,
  credential: "system",
  credentialId: null,
  address: null,
  userAgent: null,
  requestId: null,
};

/** The text that is hashed: every column, in this order. Changing it would break every existing chain. */
export const serializeEntry = (entry: Entry): string =>
  JSON.stringify([
    entry.id,
    entry.at,
    entry.action,
    entry.actorUserId,
    entry.actorMemberId,
    entry.actorName,
    entry.credential,
    entry.credentialId,
    entry.address,
    entry.userAgent,
    entry.requestId,
    entry.targetType,
    entry.targetId,
    entry.before,
    entry.after,
  ]);

/** Removes characters that a column cannot store. A text that the database changes would break the chain. */
export const removeUnstorable = (text: string): string => text.replaceAll("\0", "").toWellFormed();

/** Values with these names are redacted, in case a caller passes a secret by mistake. */
const secretNames =
  /^(?:password|newPassword|secret|clientSecret|privateKey|token|accessToken|refreshToken|key|apiKey|webhookSecret|authorization|cookie)$/;

export type State = Record<string, unknown>;

/** Serializes a state. Long texts are cut and secrets are redacted. */
export function serializeState(state: State | undefined): string | null {
  if (!state) return null;
  const text = JSON.stringify(state, (name, value) =>
    secretNames.test(name) && value !== null
      ? "[redacted]"
      : typeof value === "string"
        ? truncate(value)
        : value,
  );
  return removeUnstorable(text);
}

const maxTextLength = 2_000;
const truncate = (text: string) =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (${text.length} characters)` : text;

/** Returns only the fields that differ, because people read an audit log for changes. */
export function diffStates(before: State, after: State): { before: State; after: State } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pickChanged = (state: State) =>
    Object.fromEntries(names.filter((n) => n in state).map((n) => [n, state[n]]));
  return { before: pickChanged(before), after: pickChanged(after) };
}
