/** A node of the tree of paths: the route of each method, and the nodes of the next segment. */
interface RouteNode<T> {
  here: Map<string, { value: T; names: readonly string[] }>;
  named: Map<string, RouteNode<T>>;
  /** For any segment that is not named. */
  any: RouteNode<T> | undefined;
  /** Routes for this node and everything below it. */
  tail: RouteNode<T>["here"] | undefined;
}

export interface Found<T> {
  value: T;
  params: Readonly<Record<string, string>>;
}

export interface Router<T> {
  find(method: string, path: string): Found<T> | undefined;
  /** The methods of all routes at a path. */
  methodsAt(path: string): string[];
}

const noParams = {};

/** The last segment of a path that also takes everything below it. */
const tail = "{*}";

export const tailPath = (prefix: string): string => `${prefix}/${tail}`;
export const isTailPath = (path: string): boolean => path.endsWith(`/${tail}`);

/**
 * Paths as in OpenAPI: a segment in braces takes any one segment. A path that is named goes first. A path that ends
 * with `{*}` takes what no other route takes; the parameter `*` is the rest of the path, not decoded.
 */
export function createRouter<T>(routes: Iterable<{ method: string; path: string; value: T }>): Router<T> {
  const root = place<T>();
  /** Paths without parameters, which are the most frequent. They are found with one lookup. */
  const whole = new Map<string, RouteNode<T>>();
  for (const { method, path, value } of routes) {
    const names: string[] = [];
    let at = root;
    const takesAll = isTailPath(path);
    for (const segment of path.split("/").slice(0, takesAll ? -1 : undefined)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name) names.push(name);
      at = openChild(at, name === undefined ? segment : undefined);
    }
    if (takesAll) at.tail ??= new Map();
    const here = takesAll ? at.tail! : at.here;
    // The first of two equal routes counts, so that a later room cannot replace a route.
    if (!here.has(method)) here.set(method, { value, names });
    if (names.length === 0 && !takesAll) whole.set(path, at);
  }

  return {
    find(method, path) {
      const known = whole.get(path)?.here.get(method);
      if (known) return { value: known.value, params: noParams };
      for (const { here, taken, tailFrom } of listNodes(root, splitPath(path), 0, [])) {
        const found = here.get(method);
        if (found) {
          const params = Object.fromEntries(found.names.map((name, i) => [name, taken[i]!]));
          if (tailFrom !== undefined) params["*"] = path.split("/").slice(tailFrom).join("/");
          return { value: found.value, params };
        }
      }
      return undefined;
    },
    methodsAt: (path) => [
      ...new Set(listNodes(root, splitPath(path), 0, []).flatMap(({ here }) => [...here.keys()])),
    ],
  };
}

const place = <T>(): RouteNode<T> => ({
  here: new Map(),
  named: new Map(),
  any: undefined,
  tail: undefined,
});

/** Returns the child node of a segment, and creates it if needed. Without a segment, the node for any segment. */
function openChild<T>(at: RouteNode<T>, segment: string | undefined): RouteNode<T> {
  const known = segment === undefined ? at.any : at.named.get(segment);
  if (known) return known;
  const made = place<T>();
  if (segment === undefined) at.any = made;
  else at.named.set(segment, made);
  return made;
}

interface Leading<T> {
  here: RouteNode<T>["here"];
  taken: readonly string[];
  /** The number of segments before the rest of the path. */
  tailFrom?: number;
}

/** Yields all nodes that match a path, nodes with a fixed segment first. */
function listNodes<T>(
  at: RouteNode<T>,
  segments: readonly string[],
  depth: number,
  taken: readonly string[],
): Leading<T>[] {
  const below: Leading<T>[] = at.tail ? [{ here: at.tail, taken, tailFrom: depth }] : [];
  if (depth === segments.length) return [{ here: at.here, taken }, ...below];
  const segment = segments[depth]!;
  const named = at.named.get(segment);
  return [
    ...(named ? listNodes(named, segments, depth + 1, taken) : []),
    ...(at.any && segment !== "" ? listNodes(at.any, segments, depth + 1, [...taken, segment]) : []),
    ...below,
  ];
}

/** Decodes each segment after the split, so that an encoded slash stays part of its segment. */
const splitPath = (path: string): string[] => {
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
