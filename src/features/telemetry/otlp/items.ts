import { invalidRequest, tooLarge } from "../../../platform/errors.ts";
import type { Pace } from "../../../platform/thread-turns.ts";
import { computeDigest } from "../digest.ts";
import type { Attributes } from "../record.ts";
import { type OtlpSignal, otlpSignals } from "./messages.ts";
import { findWeight, maxValues } from "./translate.ts";
import { countValues, toAttributes, toObject, toText } from "./values.ts";
import type { Message } from "./wire.ts";

/** A span, a log record or a metric, and where it comes from. */
export interface Item {
  /** Of the resource: only those that say which program sent it. */
  resource: Attributes;
  /** A hash of the reporter and the whole resource and scope, for the identity of log records and metrics. */
  origin: string;
  scope: string;
  item: Message;
}

/** Batches of SDKs have at most 512 items; collectors send up to 8,192. Of metrics, the data points count too. */
const maxItems = 10_000;

/**
 * Resources and scopes take time, even if they are empty. Collectors do not join those of different senders, so each item
 * may have its own.
 */
const maxGroups = 2 * maxItems;

/** The weight of reading a scope. */
const scopeWeight = 3;

/** Attributes of resources that are kept with every event. Others describe machines and processes. */
const keptResourceNames = new Set([
  "service.name",
  "service.version",
  "service.namespace",
  "deployment.environment",
  "deployment.environment.name",
  "user.email",
  "signalbox.member_id",
  "signalbox.worker_id",
  "signalbox.run_id",
]);

/** Every item repeats the attributes of its resource and scope, so they are short whatever the sender gives. */
const maxRepeatedLength = 256;

export const cutRepeated = (text: string): string => text.slice(0, maxRepeatedLength);

/**
 * Lists the items of an export request. `reporter` keeps equal items of different senders apart. Others have their turn
 * between two resources or scopes.
 */
export async function listItems(
  signal: OtlpSignal,
  request: Message,
  reporter: string,
  pace: Pace = () => undefined,
): Promise<Item[]> {
  const [resourcesName, scopesName, itemsName] = otlpSignals[signal].names;
  const items: Item[] = [];
  let groups = 0;
  for (const resourceEntry of readList(request, resourcesName)) {
    checkCount(++groups, "resources and scopes", maxGroups);
    const given = toObject(toObject(resourceEntry).resource).attributes;
    const values = countValues(given, maxValues);
    checkCount(values, "values in attributes of a resource", maxValues);
    const turn = pace(findWeight(values));
    if (turn) await turn;
    const attributes = toAttributes(given);
    const resource = selectRepeated(attributes);
    const resourceDigest = computeDigest(attributes);
    for (const scopeEntry of readList(toObject(resourceEntry), scopesName)) {
      checkCount(++groups, "resources and scopes", maxGroups);
      const turn = pace(scopeWeight);
      if (turn) await turn;
      const name = toText(toObject(toObject(scopeEntry).scope).name);
      const origin = computeDigest([reporter, resourceDigest, name]);
      const scope = cutRepeated(name);
      for (const item of readList(toObject(scopeEntry), itemsName)) {
        checkCount(items.length + 1, itemsName);
        items.push({ resource, origin, scope, item: toObject(item) });
      }
    }
  }
  return items;
}

export function checkCount(count: number, name: string, max = maxItems): void {
  if (count > max) throw tooLarge(`The request has more than ${max} ${name}. Send smaller batches.`);
}

function selectRepeated(attributes: Attributes): Attributes {
  const selected: Attributes = {};
  for (const name of keptResourceNames) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (typeof value === "string") selected[name] = cutRepeated(value);
    else if (typeof value === "number" || typeof value === "boolean") selected[name] = value;
  }
  return selected;
}

function readList(message: Message, name: string): readonly unknown[] {
  const value = message[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidRequest([{ message: `\`${name}\` must be a list.` }]);
  return value;
}
