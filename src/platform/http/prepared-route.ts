import type { Metrics } from "../metrics.ts";
import type { Protocol } from "./protocol.ts";
import { operationId, type Route, type RouteSpec, takesIdempotencyKey } from "./route.ts";

/** Names a request in logs, metrics and traces. */
export interface RequestObserver {
  name: string;
  spec?: RouteSpec;
  protocol?: Protocol | undefined;
  refuse?: Route["refuse"];
  refusalHeaders?: Route["refusalHeaders"];
  onReply?: Route["onReply"];
  time(status: number, seconds: number): void;
}

/** Keeps the timer of each status, so that its labels are formatted only once. */
export function createRequestObserver(metrics: Metrics, name: string): RequestObserver {
  const timers = new Map<number, (seconds: number) => void>();
  return {
    name,
    time(status, seconds) {
      let timer = timers.get(status);
      if (!timer) {
        timer = metrics.timer("http_request_duration_seconds", { operation: name, status });
        timers.set(status, timer);
      }
      timer(seconds);
    },
  };
}

/** A route, and values that are computed once from its contract. */
export interface PreparedRoute extends RequestObserver, Route {
  spec: RouteSpec;
  takesKey: boolean;
  /** Set when the contract lists one reply; then the handler returns its body alone. */
  onlyStatus: number | undefined;
  /**
   * Returns the parsed form of an empty query. Undefined when a parameter is required. It is computed with the first
   * request: for all routes at once it would delay the start.
   */
  parseEmptyQuery(): unknown;
}

export function prepareRoute(metrics: Metrics, route: Route): PreparedRoute {
  const statuses = Object.keys(route.spec.replies).map(Number);
  let emptyQuery: { value: unknown } | undefined;
  return {
    ...createRequestObserver(metrics, operationId(route.spec)),
    ...route,
    protocol: route.spec.protocol,
    takesKey: takesIdempotencyKey(route.spec),
    onlyStatus: statuses.length === 1 ? statuses[0] : undefined,
    parseEmptyQuery() {
      emptyQuery ??= { value: Object.freeze(route.spec.query ? route.spec.query.safeParse({}).data : {}) };
      return emptyQuery.value;
    },
  };
}
