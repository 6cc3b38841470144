import type { AutomationRunEvent } from "@signalbox/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useOrganization, useServices } from "../../../lib/context.tsx";
import { createTimeline, type Timeline } from "./timeline.ts";

export type StreamState = "reading" | "live" | "reconnecting" | "ended" | "failed";

/** How often the figures of the run are read again while usage arrives. */
const figuresEveryMs = 1_500;

interface RunStream {
  timeline: Timeline;
  state: StreamState;
  error: unknown;
  /** Reads the run again from its first event, after the stream failed. */
  retry(): void;
}

/** Follows a run. Events arrive in the timeline once per frame, however many there are. */
export function useRunStream(id: string): RunStream {
  const { api } = useServices();
  const { id: organizationId } = useOrganization();
  const cache = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run has another timeline.
  const timeline = useMemo(createTimeline, [id]);
  const [state, setState] = useState<StreamState>("reading");
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try begins the stream again.
  useEffect(() => {
    const stop = new AbortController();
    const frames = createFrames((events) => timeline.append(events));
    const figures = createThrottle(figuresEveryMs, () => {
      void cache.invalidateQueries({ queryKey: [organizationId, "GET /v1/automation-runs/{id}"] });
      void cache.invalidateQueries({ queryKey: [organizationId, "GET /v1/automation-runs/{id}/usage"] });
    });
    timeline.clear();
    setState("reading");
    setError(undefined);
    void (async () => {
      try {
        for await (const update of api.watchRun(id, { organizationId, signal: stop.signal })) {
          if (update.type === "reconnecting") setState("reconnecting");
          if (update.type === "event") {
            frames.add(update.event);
            if (update.event.type === "usage") figures.request();
          }
          if (update.type === "run") {
            setState("live");
            figures.request();
          }
        }
        frames.flush();
        setState("ended");
      } catch (problem) {
        if (stop.signal.aborted) return;
        setError(problem);
        setState("failed");
      }
    })();
    return () => {
      stop.abort();
      frames.stop();
      figures.stop();
    };
  }, [api, cache, id, organizationId, timeline, tries]);
  return { timeline, state, error, retry: () => setTries((count) => count + 1) };
}

/** Collects events and hands them over once per frame. Hidden tabs have no frames; they use a timer. */
function createFrames(deliver: (events: AutomationRunEvent[]) => void) {
  let waiting: AutomationRunEvent[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    timer = undefined;
    const events = waiting;
    waiting = [];
    deliver(events);
  };
  return {
    add(event: AutomationRunEvent) {
      waiting.push(event);
      if (frame !== undefined || timer !== undefined) return;
      if (document.hidden) timer = setTimeout(flush, 250);
      else frame = requestAnimationFrame(flush);
    },
    flush,
    stop() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      clearTimeout(timer);
    },
  };
}

function createThrottle(everyMs: number, act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    request() {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, everyMs);
    },
    stop: () => clearTimeout(timer),
  };
}
