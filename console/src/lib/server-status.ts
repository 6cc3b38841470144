import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { RequestError } from "./api.ts";

export type ServerStatus = "live" | "reconnecting" | "away";

/** After this long without an answer, the server counts as away. */
const awayAfterMs = 20_000;

/** Whether the server answers, from the requests that the page makes anyway. */
export function useServerStatus(): ServerStatus {
  const cache = useQueryClient();
  useIsFetching();
  const [failingSince, setFailingSince] = useState<number>();
  useEffect(
    () =>
      cache.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        if (event.action.type === "success") setFailingSince(undefined);
        if (event.action.type === "failed" || event.action.type === "error") {
          const { error } = event.action;
          if (error instanceof RequestError && error.kind === "unreachable")
            setFailingSince((since) => since ?? Date.now());
        }
      }),
    [cache],
  );
  if (failingSince === undefined) return "live";
  return Date.now() - failingSince > awayAfterMs ? "away" : "reconnecting";
}
