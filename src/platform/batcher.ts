import type { OrgId } from "./context.ts";
import { isDatabaseBusy, isDatabaseDown } from "./db/index.ts";

export interface BatcherOptions<Item, Outcome> {
  /** Sends a batch as one statement with one commit. Returns one outcome per item, in the same order. */
  send(items: readonly Item[]): Promise<readonly Outcome[]>;
  /** Gives the outcome of an item that failed when it was sent alone, or throws the error. */
  onFailure?(error: unknown, item: Item): Outcome | Promise<Outcome>;
  /** Items with the same key never share a batch. They are sent in the order of their arrival. */
  key?(item: Item): string;
  /**
   * When not all items fit in a batch, organizations take turns, so that one with many items does not delay others.
   * Items of no organization, or whose organization is not known yet, share one turn.
   */
  owner(item: Item): OrgId | null;
  size(item: Item): number;
  maxItems: number;
  maxSize: number;
  /**
   * How long items wait for others before a batch is sent, in milliseconds. Without it, only items that arrive while
   * another batch is being sent share one.
   */
  collectMs?(): number;
  /**
   * True when the database executes statements in this thread, which then does nothing else. Replies are sent before the
   * next statement, and requests are read until no more arrive, so that each statement has as many items as possible.
   */
  sharesThread?: boolean;
}

/** Sorts by turns: the first items of all organizations, then the second ones, each in order of arrival. */
function sortByTurn<Item, Outcome>(
  pending: readonly Pending<Item, Outcome>[],
  owner: (item: Item) => OrgId | null,
): readonly Pending<Item, Outcome>[] {
  const owners = pending.map(({ item }) => owner(item));
  if (owners.every((name) => name === owners[0])) return pending;
  const counts = new Map<OrgId | null, number>();
  const turns: Pending<Item, Outcome>[][] = [];
  for (const [i, one] of pending.entries()) {
    const name = owners[i]!;
    const turn = counts.get(name) ?? 0;
    counts.set(name, turn + 1);
    const items = turns[turn];
    if (items) items.push(one);
    else turns.push([one]);
  }
  return turns.flat();
}

/** A batch smaller than this is not worth a second statement. */
const minItems = 8;

interface Pending<Item, Outcome> {
  item: Item;
  size: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Sends items that arrive at the same time in one statement. While a batch is being sent, new items wait for the next
 * one. An item is answered after its own commit, and never fails because of another item.
 */
export function createBatcher<Item, Outcome>({
  send,
  onFailure = (error) => Promise.reject(error),
  key,
  owner,
  size,
  maxItems,
  maxSize,
  collectMs,
  sharesThread = false,
}: BatcherOptions<Item, Outcome>): (item: Item) => Promise<Outcome> {
  let pending: Pending<Item, Outcome>[] = [];
  let pendingSize = 0;
  let busy = false;

  /**
   * Takes the next batch in order of arrival, or of turns. After a batch of `answered` items it takes at most half of all items,
   * because those callers soon send again, and batches of unequal size would stay unequal.
   */
  function takeBatch(answered: number): Pending<Item, Outcome>[] {
    const half = Math.max(minItems, Math.ceil((pending.length + answered) / 2));
    const limit = answered === 0 ? maxItems : Math.min(half, maxItems);
    const batch: Pending<Item, Outcome>[] = [];
    const rest: Pending<Item, Outcome>[] = [];
    const keys = new Set<string>();
    let batchSize = 0;
    const allFit = pending.length <= limit && pendingSize <= maxSize;
    const candidates = allFit ? pending : sortByTurn(pending, owner);
    for (const one of candidates) {
      const itemKey = key?.(one.item);
      const fits = batch.length < limit && (batch.length === 0 || batchSize + one.size <= maxSize);
      const waits = !fits || (itemKey !== undefined && keys.has(itemKey));
      // Also the key of an item that waits: a smaller item with this key must not be sent before it.
      if (itemKey !== undefined) keys.add(itemKey);
      if (waits) {
        rest.push(one);
        continue;
      }
      batchSize += one.size;
      batch.push(one);
    }
    pending = rest;
    pendingSize -= batchSize;
    return batch;
  }

  function sendNext(answered = 0): void {
    const batch = takeBatch(answered);
    busy = batch.length > 0;
    if (busy) void flush(batch);
  }

  /** Sends the next batch after a turn of the event loop in which no item has arrived, or when the batch is full. */
  function sendWhenQuiet(waiting?: number): void {
    setImmediate(() => {
      if (pending.length === waiting || pending.length >= maxItems) sendNext();
      else sendWhenQuiet(pending.length);
    });
  }

  async function flush(batch: readonly Pending<Item, Outcome>[]): Promise<void> {
    const answer = await sendBatch(batch);
    process.nextTick(answer);
    const waitMs = pending.length > maxItems ? 0 : (collectMs?.() ?? 0);
    if (waitMs > 0) setTimeout(sendNext, waitMs);
    else if (sharesThread) sendWhenQuiet();
    // The next statement starts before the answers, so that the database does not wait for them.
    else sendNext(collectMs ? 0 : batch.length);
  }

  /** Returns a function that answers all items of the batch. */
  async function sendBatch(batch: readonly Pending<Item, Outcome>[]): Promise<() => void> {
    try {
      const outcomes = await send(batch.map(({ item }) => item));
      return () => {
        for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]!);
      };
    } catch (error) {
      if (batch.length > 1 && !isDatabaseDown(error) && !isDatabaseBusy(error)) {
        // One item is wrong, or there was a deadlock. Sent alone, each item gets its own outcome.
        const answers: (() => void)[] = [];
        for (const one of batch) answers.push(await sendBatch([one]));
        return () => {
          for (const answer of answers) answer();
        };
      }
      return () => {
        for (const { item, resolve, reject } of batch)
          new Promise<Outcome>((settle) => settle(onFailure(error, item))).then(resolve, reject);
      };
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const itemSize = size(item);
      pending.push({ item, size: itemSize, resolve, reject });
      pendingSize += itemSize;
      if (busy) return;
      // Items that arrive in the same turn of the event loop join the first batch.
      busy = true;
      const waitMs = collectMs?.() ?? 0;
      if (waitMs > 0) setTimeout(sendNext, waitMs);
      else if (sharesThread) sendWhenQuiet();
      else setImmediate(() => sendNext());
    });
}
