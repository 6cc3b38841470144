/** Where a path leads: what is there for each method, and where the next segment leads. */
interface Place<T> {
  here: Map<string, { value: T; names: readonly string[] }>;
  named: Map<string, Place<T>>;
  /** For any segment that is not named. */
  any: Place<T> | undefined;
}

export interface Found<T> {
  value: T;
  params: Readonly<Record<string, string>>;
}

export interface Router<T> {
  find(method: string, path: string): Found<T> | undefined;
  /** What is offered there, whatever was asked for. */
  methodsAt(path: string): string[];
}

const noParams = {};

/** Paths as in OpenAPI: a segment in braces takes any one segment. A path that is named goes first. */
export function createRouter<T>(routes: Iterable<{ method: string; path: string; value: T }>): Router<T> {
  const root = place<T>();
  /** Paths without parameters, which are most of what is asked for, by one look. */
  const whole = new Map<string, Place<T>>();
  for (const { method, path, value } of routes) {
    const names: string[] = [];
    let at = root;
    for (const segment of path.split("/")) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name) names.push(name);
      at = below(at, name === undefined ? segment : undefined);
    }
    // The first of two stays: nobody is to take another one's place by being listed later.
    if (!at.here.has(method)) at.here.set(method, { value, names });
    if (names.length === 0) whole.set(path, at);
  }

  return {
    find(method, path) {
      const known = whole.get(path)?.here.get(method);
      if (known) return { value: known.value, params: noParams };
      for (const { here, taken } of places(root, segmentsOf(path), 0, [])) {
        const found = here.get(method);
        if (found)
          return {
            value: found.value,
            params: Object.fromEntries(found.names.map((name, i) => [name, taken[i]!])),
          };
      }
      return undefined;
    },
    methodsAt: (path) => [
      ...new Set(places(root, segmentsOf(path), 0, []).flatMap(({ here }) => [...here.keys()])),
    ],
  };
}

const place = <T>(): Place<T> => ({ here: new Map(), named: new Map(), any: undefined });

/** The next place, made where there is none. Without a segment: that of any. */
function below<T>(at: Place<T>, segment: string | undefined): Place<T> {
  const known = segment === undefined ? at.any : at.named.get(segment);
  if (known) return known;
  const made = place<T>();
  if (segment === undefined) at.any = made;
  else at.named.set(segment, made);
  return made;
}

/** All places that a path leads to, those with names before those that take anything. */
function places<T>(
  at: Place<T>,
  segments: readonly string[],
  depth: number,
  taken: readonly string[],
): { here: Place<T>["here"]; taken: readonly string[] }[] {
  if (depth === segments.length) return [{ here: at.here, taken }];
  const segment = segments[depth]!;
  const named = at.named.get(segment);
  return [
    ...(named ? places(named, segments, depth + 1, taken) : []),
    ...(at.any && segment !== "" ? places(at.any, segments, depth + 1, [...taken, segment]) : []),
  ];
}

/** Decoded once, after it was taken apart: an encoded slash is part of its segment. */
const segmentsOf = (path: string): string[] => {
  const segments = path.split("/");
  return path.includes("%") ? segments.map(decode) : segments;
};

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
