import { isDatabaseBusy, isDatabaseDown } from "./db/index.ts";

export interface Shared<Item, Outcome> {
  /** One statement for all of them, and one commit: an outcome for each, in their order. */
  send(items: readonly Item[]): Promise<readonly Outcome[]>;
  /** What an error means for one that was sent by itself. Throws it on where it means nothing. */
  failed?(error: unknown, item: Item): Outcome | Promise<Outcome>;
  /** Two of the same key follow each other, and do not travel together. */
  keyOf?(item: Item): string;
  sizeOf(item: Item): number;
  maxItems: number;
  maxSize: number;
}

/** Fewer than these are not worth two statements. */
const smallest = 8;

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * What comes at the same moment shares a statement. One that comes while nothing is under way goes at once;
 * those that come while the database is busy go together in the next one. Nobody is answered before their own
 * is committed, and none fails for another one's sake.
 */
export function createTogether<Item, Outcome>({
  send,
  failed = (error) => Promise.reject(error),
  keyOf,
  sizeOf,
  maxItems,
  maxSize,
}: Shared<Item, Outcome>): (item: Item) => Promise<Outcome> {
  let waiting: Waiting<Item, Outcome>[] = [];
  let flying = false;

  /**
   * As many as fit into one statement, in the order in which they came; but no more than half of all while those of
   * the last one are answered and come again. Unequal halves would stay so, and one side wait for the other.
   */
  function take(landed: number): Waiting<Item, Outcome>[] {
    const share = landed === 0 ? maxItems : Math.max(smallest, Math.ceil((waiting.length + landed) / 2));
    const group: Waiting<Item, Outcome>[] = [];
    const rest: Waiting<Item, Outcome>[] = [];
    const keys = new Set<string>();
    let size = 0;
    for (const one of waiting) {
      const key = keyOf?.(one.item);
      const more = sizeOf(one.item);
      const fits = group.length < Math.min(share, maxItems) && (group.length === 0 || size + more <= maxSize);
      if (!fits || (key !== undefined && keys.has(key))) {
        rest.push(one);
        continue;
      }
      if (key !== undefined) keys.add(key);
      size += more;
      group.push(one);
    }
    waiting = rest;
    return group;
  }

  /** The next statement is on its way before those of the last one are answered: the database need not wait for that. */
  function depart(landed = 0): void {
    const group = take(landed);
    flying = group.length > 0;
    if (flying) void fly(group);
  }

  async function fly(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    const land = await outcomesOf(group);
    depart(group.length);
    process.nextTick(land);
  }

  async function outcomesOf(group: readonly Waiting<Item, Outcome>[]): Promise<() => void> {
    try {
      const outcomes = await send(group.map(({ item }) => item));
      return () => {
        for (const [i, { resolve }] of group.entries()) resolve(outcomes[i]!);
      };
    } catch (error) {
      if (group.length > 1 && !isDatabaseDown(error) && !isDatabaseBusy(error)) {
        // One of them is at fault, or two waited for each other: by itself each gets its own answer.
        const each: (() => void)[] = [];
        for (const one of group) each.push(await outcomesOf([one]));
        return () => {
          for (const land of each) land();
        };
      }
      return () => {
        for (const { item, resolve, reject } of group)
          new Promise<Outcome>((settle) => settle(failed(error, item))).then(resolve, reject);
      };
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (flying) return;
      // After this turn of the event loop: what else has arrived in it goes along.
      flying = true;
      setImmediate(() => depart());
    });
}
