import type { Attributes, AttributeValue } from "../record.ts";
import { cutText } from "./attributes.ts";
import { attributeNames } from "./names.ts";

type Field = keyof typeof attributeNames;

/** The field of each attribute name, and its rank among the names of that field. */
const places = new Map(
  Object.entries(attributeNames).flatMap(([field, names]) =>
    names.map((name, rank) => [name as string, { field: field as Field, rank }] as const),
  ),
);

/** Reads fields, whatever names the sender gave them. */
export interface Reader {
  text(field: Field, max: number): string | null;
  /** Log records of some senders have numbers as text. */
  number(field: Field, max: number): number | null;
}

/** Looks at each attribute once: an event has few attributes, and the fields have many names. */
export function createReader(attributes: Attributes): Reader {
  const found = new Map<Field, { rank: number; value: AttributeValue }>();
  for (const name of Object.keys(attributes)) {
    const place = places.get(name);
    if (!place) continue;
    const value = attributes[name];
    if (value === undefined || value === null || value === "") continue;
    const other = found.get(place.field);
    if (!other || place.rank < other.rank) found.set(place.field, { rank: place.rank, value });
  }
  return {
    text(field, max) {
      const value = found.get(field)?.value;
      if (typeof value === "number" || typeof value === "boolean") return String(value);
      return typeof value === "string" ? cutText(value, max) : null;
    },
    number(field, max) {
      const value = found.get(field)?.value;
      const number = typeof value === "string" ? Number(value) : value;
      return typeof number === "number" && number >= 0 && number <= max ? number : null;
    },
  };
}
