import { type UseQueryResult, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import {
  type Input,
  type Item,
  isForbidden,
  isNotFound,
  type ListOperation,
  type Operation,
  type Reply,
} from "./api.ts";
import { useOptionalOrganization, useServices } from "./context.tsx";

export interface ReadOptions {
  enabled?: boolean;
  /** Reads again this often while the page is visible, in milliseconds. */
  everyMs?: number | false;
}

/** Whether the server answers that there is nothing, or nothing for this reader. It is not asked again and again. */
const isGone = (error: unknown): boolean => isNotFound(error) || isForbidden(error);

/** Reads one resource. The result is shared by all parts of the page that ask for the same. */
export function useRead<Name extends Operation>(
  name: Name,
  input: Input<Name>,
  { enabled = true, everyMs = false }: ReadOptions = {},
): UseQueryResult<Reply<Name>> {
  const { api } = useServices();
  const organizationId = useOptionalOrganization()?.id;
  const query = useQuery({
    queryKey: [organizationId, name, input],
    queryFn: ({ signal }) => api.request(name, input, { organizationId, signal }),
    enabled,
    refetchInterval: ({ state }) => (isGone(state.error) ? false : everyMs),
    placeholderData: (before, query) => (isSameRecord(query?.queryKey, input) ? before : undefined),
  }) as UseQueryResult<Reply<Name>>;
  // What is gone or no longer allowed is not shown from memory. Other failures keep what was read.
  return isGone(query.error) ? ({ ...query, data: undefined } as UseQueryResult<Reply<Name>>) : query;
}

/**
 * Old data stays while a filter changes, but never below the address of another record: a form would begin with the
 * values of the wrong one.
 */
export function isSameRecord(key: readonly unknown[] | undefined, input: unknown): boolean {
  const readPath = (of: unknown) => JSON.stringify((of as { path?: object } | undefined)?.path ?? {});
  return key !== undefined && readPath(key[2]) === readPath(input);
}

export interface ListResult<Row> {
  rows: readonly Row[];
  /** True until the first page has arrived. */
  isLoading: boolean;
  error: unknown;
  /** Reads again from the first page. */
  retry(): Promise<unknown>;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
  /** Like `loadMore`, for parts that call it whenever they are drawn. Stops when a page failed. */
  keepLoading(): void;
  /** Why the next page could not be read. */
  moreError: unknown;
  /** When the rows were read last, in milliseconds since 1970. 0 before. */
  readAt: number;
}

interface ListOf<Name extends ListOperation> extends ListResult<Item<Name>> {
  /** The reply with the first page. It has more fields than the rows. */
  first: Reply<Name> | undefined;
}

/** Reads a list page by page. The rows of the pages that were read are one array. */
export function useList<Name extends ListOperation>(
  name: Name,
  input: Input<Name>,
  { enabled = true, everyMs = false }: ReadOptions = {},
): ListOf<Name> {
  const { api } = useServices();
  const organizationId = useOptionalOrganization()?.id;
  const query = useInfiniteQuery({
    queryKey: [organizationId, name, input, "pages"],
    queryFn: async ({ signal, pageParam }) => {
      const given = input as { query?: object };
      const page = { ...given, query: { ...given.query, ...(pageParam ? { cursor: pageParam } : {}) } };
      const reply = await api.request(name, page as Input<Name>, { organizationId, signal });
      return reply as unknown as { items: Item<Name>[]; nextCursor: string | null };
    },
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    enabled,
    refetchInterval: ({ state }) => (isGone(state.error) ? false : everyMs),
    placeholderData: (before, query) => (isSameRecord(query?.queryKey, input) ? before : undefined),
  });
  const loadMore = () => {
    if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
  };
  // What is gone or no longer allowed is not shown from memory, as in `useRead`.
  const pages = isGone(query.error) ? undefined : query.data?.pages;
  // The same array until something was read, so that parts that compare it are not drawn again.
  const rows = useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]);
  return {
    rows,
    first: pages?.[0] as Reply<Name> | undefined,
    isLoading: query.isPending && enabled,
    error: query.error,
    retry: () => query.refetch(),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore,
    keepLoading: () => {
      if (!query.isFetchNextPageError) loadMore();
    },
    moreError: query.isFetchNextPageError ? query.error : undefined,
    readAt: query.dataUpdatedAt,
  };
}

export interface ActionOptions<Name extends Operation> {
  /** Operations whose results this action changes, such as `GET /v1/teams`. They are read again. */
  changes?: readonly Operation[];
  onDone?(reply: Reply<Name>, input: Input<Name>): void;
}

export interface Action<Name extends Operation> {
  /** Throws what the server refused. Forms and dialogs show it. */
  run(input: Input<Name>): Promise<Reply<Name>>;
  /** For a button or a menu outside a form: keeps what the server refused in `error`, for `Refusal`. */
  start(input: Input<Name>): void;
  isRunning: boolean;
  /** What the server refused after `start`. */
  error: unknown;
  /** Forgets the error. */
  reset(): void;
}

/**
 * Executes an operation that changes something. Neither what was sent nor the reply is kept afterwards: both may
 * contain secrets.
 */
export function useAction<Name extends Operation>(
  name: Name,
  { changes = [], onDone }: ActionOptions<Name> = {},
): Action<Name> {
  const { api } = useServices();
  const organizationId = useOptionalOrganization()?.id;
  const cache = useQueryClient();
  const [running, setRunning] = useState(0);
  const [error, setError] = useState<unknown>();
  const router = useRouter();
  const finish = useRef(onDone);
  finish.current = onDone;
  /**
   * Back may lead to the record that was deleted. It is asked for again then, also when Back comes before the page
   * that `onDone` opens has appeared: the record never left the screen in that case.
   */
  const forgetRecord = (queryKey: readonly unknown[]) => {
    void cache.invalidateQueries({ queryKey, refetchType: "none" });
    const stop = router.subscribe("onResolved", () => {
      stop();
      void cache.refetchQueries({ queryKey, type: "active", stale: true });
    });
  };
  const run = async (input: Input<Name>): Promise<Reply<Name>> => {
    setRunning((count) => count + 1);
    try {
      const reply = await api.request(name, input, { organizationId });
      await Promise.all(
        changes.map((changed) => cache.invalidateQueries({ queryKey: [organizationId, changed] })),
      );
      finish.current?.(reply, input);
      if (name.startsWith("DELETE ")) forgetRecord([organizationId, name.replace("DELETE", "GET")]);
      return reply;
    } finally {
      setRunning((count) => count - 1);
    }
  };
  return {
    run,
    start: (input) => {
      if (running > 0) return;
      setError(undefined);
      run(input).catch(setError);
    },
    isRunning: running > 0,
    error,
    reset: () => setError(undefined),
  };
}

/**
 * Reads all pages, because somebody on the last one can be looked for too. Undefined until the first has arrived. A later
 * page that cannot be read leaves what was read before.
 */
export function useWhole<Row>(list: ListResult<Row>): readonly Row[] | undefined {
  const { hasMore, keepLoading } = list;
  useEffect(() => {
    if (hasMore) keepLoading();
  });
  return list.isLoading || (list.error && list.rows.length === 0) ? undefined : list.rows;
}
