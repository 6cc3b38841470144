import { invalidRequest, tooLarge } from "../../../platform/errors.ts";
import type { Attributes } from "../record.ts";
import { type OtlpSignal, otlpSignals } from "./messages.ts";
import { toAttributes, toObject, toText } from "./values.ts";
import type { Message } from "./wire.ts";

/** A span, a log record or a metric, and where it comes from. */
export interface Item {
  /** Of the resource: only those that say which program sent it. */
  resource: Attributes;
  /** The whole identity of the resource and scope, for the identity of metrics. */
  origin: Attributes;
  scope: string;
  item: Message;
}

/** Batches of SDKs have at most 512 items; collectors send up to 8,192. */
const maxItems = 10_000;

/** Attributes of resources that are kept with every event. Others describe machines and processes. */
const keptResourceNames = new Set([
  "service.name",
  "service.version",
  "service.namespace",
  "deployment.environment",
  "deployment.environment.name",
  "user.email",
]);

/** Lists the items of an export request. */
export function listItems(signal: OtlpSignal, request: Message): Item[] {
  const [resourcesName, scopesName, itemsName] = otlpSignals[signal].names;
  const items: Item[] = [];
  for (const resourceEntry of readList(request, resourcesName)) {
    const origin = toAttributes(toObject(toObject(resourceEntry).resource).attributes);
    const resource = Object.fromEntries(
      Object.entries(origin).filter(([name]) => keptResourceNames.has(name) || name.startsWith("signalbox.")),
    );
    for (const scopeEntry of readList(toObject(resourceEntry), scopesName)) {
      const scope = toText(toObject(toObject(scopeEntry).scope).name);
      for (const item of readList(toObject(scopeEntry), itemsName)) {
        if (items.length === maxItems)
          throw tooLarge(`The request has more than ${maxItems} ${itemsName}. Send smaller batches.`);
        items.push({ resource, origin, scope, item: toObject(item) });
      }
    }
  }
  return items;
}

function readList(message: Message, name: string): readonly unknown[] {
  const value = message[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidRequest([{ message: `\`${name}\` must be a list.` }]);
  return value;
}
