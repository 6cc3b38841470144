import { isDatabaseDown } from "./db/index.ts";

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
  /** Statements under way at once … */
  flights: number;
  /** … of which all but the first wait until so many are there to share it. */
  worthAnother: number;
}

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
  flights,
  worthAnother,
}: Shared<Item, Outcome>): (item: Item) => Promise<Outcome> {
  let waiting: Waiting<Item, Outcome>[] = [];
  let flying = 0;
  let scheduled = false;

  /** As many as fit into one statement, in the order in which they came. */
  function take(): Waiting<Item, Outcome>[] {
    const group: Waiting<Item, Outcome>[] = [];
    const rest: Waiting<Item, Outcome>[] = [];
    const keys = new Set<string>();
    let size = 0;
    for (const one of waiting) {
      const key = keyOf?.(one.item);
      const more = sizeOf(one.item);
      const fits = group.length < maxItems && (group.length === 0 || size + more <= maxSize);
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

  const mayDepart = () =>
    flying === 0 ? waiting.length > 0 : flying < flights && waiting.length >= worthAnother;

  function depart(): void {
    scheduled = false;
    while (mayDepart()) {
      flying++;
      void fly(take()).finally(() => {
        flying--;
        depart();
      });
    }
  }

  async function fly(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await send(group.map(({ item }) => item));
      for (const [i, { resolve }] of group.entries()) resolve(outcomes[i]!);
    } catch (error) {
      if (group.length > 1 && !isDatabaseDown(error)) {
        // One of them is at fault, or two waited for each other: by itself each gets its own answer.
        for (const one of group) await fly([one]);
        return;
      }
      for (const { item, resolve, reject } of group) {
        try {
          resolve(await failed(error, item));
        } catch (own) {
          reject(own);
        }
      }
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (scheduled || !mayDepart()) return;
      // After this turn of the event loop: what else has arrived in it goes along.
      scheduled = true;
      setImmediate(depart);
    });
}
