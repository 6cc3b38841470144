interface Preference {
  name: string;
  weight: number;
}

/** Parses a list with weights, such as `gzip;q=0.5, br` (RFC 9110, 12.4.2). A weight that is not a number is 0. */
const parsePreferences = (header: string): Preference[] =>
  header
    .toLowerCase()
    .split(",", 50)
    .map((text) => text.split(";").map((part) => part.trim()))
    .map(([name = "", ...parameters]) => {
      const weight = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1);
      return { name, weight: Number.isNaN(weight) ? 0 : weight };
    });

/** Returns the weight of a media type (RFC 9110, 12.5.1). The most specific range that matches decides. */
export function weighMediaType(accept: string, type: string): number {
  const ranges = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  const best = parsePreferences(accept)
    .map(({ name, weight }) => ({ rank: ranges.indexOf(name), weight }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank)[0];
  return best?.weight ?? 0;
}

/**
 * Returns the content coding with the highest weight, the first of `offered` if several have it (RFC 9110, 12.5.3).
 * Undefined means that the bytes are sent without a coding.
 */
export function chooseEncoding<const Name extends string>(
  header: string | undefined,
  offered: readonly Name[],
): Name | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(
    parsePreferences(header).map(({ name, weight }) => [name.replace(/^x-gzip$/, "gzip"), weight]),
  );
  const weigh = (name: string, other: number) => weights.get(name) ?? weights.get("*") ?? other;
  let best: { name: Name | undefined; weight: number } = {
    name: undefined,
    // Listed codings are preferred to none of the same weight. Without an entry, no coding is the last resort.
    weight: weights.has("identity") ? weigh("identity", 0) : 0,
  };
  for (const name of offered) {
    const weight = weigh(name, 0);
    if (weight > best.weight || (weight > 0 && weight === best.weight && best.name === undefined)) {
      best = { name, weight };
    }
  }
  return best.name;
}

/** Whether `If-None-Match` contains the tag, weak or strong, or `*` (RFC 9110, 13.1.2). */
export const matchesTag = (header = "", etag: string): boolean =>
  header.split(",", 50).some((item) => [etag, `W/${etag}`, "*"].includes(item.trim()));
