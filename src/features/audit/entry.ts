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

/** The text that is hashed: every column, in this order. Changing it would break every chain there is. */
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

/** Stored and read back it is the same text: what no column can hold would break the chain. */
export const removeUnstorable = (text: string): string => text.replaceAll("\0", "").toWellFormed();

/** Never to be found here. The net below the rule that nobody hands a secret over. */
const secretNames =
  /^(?:password|newPassword|secret|clientSecret|privateKey|token|accessToken|refreshToken|key|apiKey|webhookSecret|authorization|cookie)$/;

export type State = Record<string, unknown>;

/** A state as it is kept: values that changed, long texts cut, nothing secret. */
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

/** Of two states, what differs: an audit log is read for changes, not for everything that stayed. */
export function diffStates(before: State, after: State): { before: State; after: State } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pickChanged = (state: State) =>
    Object.fromEntries(names.filter((n) => n in state).map((n) => [n, state[n]]));
  return { before: pickChanged(before), after: pickChanged(after) };
}
