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
      const taken: string[] = [];
      let found: Found<T> | undefined;
      visitNodes(root, splitPath(path), 0, taken, (here, tailFrom) => {
        const route = here.get(method);
        if (!route) return false;
        const params: Record<string, string> = {};
        for (let i = 0; i < route.names.length; i++) params[route.names[i]!] = taken[i]!;
        if (tailFrom !== undefined) params["*"] = path.split("/").slice(tailFrom).join("/");
        found = { value: route.value, params };
        return true;
      });
      return found;
    },
    methodsAt(path) {
      const methods = new Set<string>();
      visitNodes(root, splitPath(path), 0, [], (here) => {
        for (const method of here.keys()) methods.add(method);
        return false;
      });
      return [...methods];
    },
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

/** Returns true to end the search. `tailFrom` is the number of segments before the rest of the path. */
type Visit<T> = (here: RouteNode<T>["here"], tailFrom?: number) => boolean;

/**
 * Visits all nodes that match a path, nodes with a fixed segment first. During a visit, `taken` has the segments that
 * were not fixed. Returns true when a visit ended the search.
 */
function visitNodes<T>(
  at: RouteNode<T>,
  segments: readonly string[],
  depth: number,
  taken: string[],
  visit: Visit<T>,
): boolean {
  if (depth === segments.length) {
    if (visit(at.here)) return true;
  } else {
    const segment = segments[depth]!;
    const named = at.named.get(segment);
    if (named && visitNodes(named, segments, depth + 1, taken, visit)) return true;
    if (at.any && segment !== "") {
      taken.push(segment);
      if (visitNodes(at.any, segments, depth + 1, taken, visit)) return true;
      taken.pop();
    }
  }
  return at.tail !== undefined && visit(at.tail, depth);
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
