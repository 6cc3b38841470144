import type { AutomationRunEvent } from "@signalbox/client";
import { readCall, toSearchText } from "./read-event.ts";

export type EventKind = AutomationRunEvent["type"] | "attempt";

/** What the timeline shows in one place: an event, equal calls in a row, or the start of another attempt. */
export interface TimelineRow {
  key: string;
  kind: EventKind;
  events: readonly AutomationRunEvent[];
}

export const filterKinds = ["all", "messages", "calls", "searches", "usage", "warnings"] as const;
export type FilterKind = (typeof filterKinds)[number];

const kindsOf: Record<Exclude<FilterKind, "all">, readonly EventKind[]> = {
  messages: ["user", "assistant", "terminal"],
  calls: ["capability_execution"],
  searches: ["capability_search"],
  usage: ["usage"],
  warnings: ["warning"],
};

/** A longer group becomes a second one, so that an opened group stays short. */
const maxGroup = 20;

export type Timeline = ReturnType<typeof createTimeline>;

/** The events of a run, in the order of the stream. Rows are added at the end only. */
export function createTimeline() {
  const rows: TimelineRow[] = [];
  const counts = new Map<EventKind, number>();
  const searchTexts = new WeakMap<AutomationRunEvent, string>();
  let events: AutomationRunEvent[] = [];
  let lastName: string | undefined;
  let version = 0;
  const listeners = new Set<() => void>();

  function add(event: AutomationRunEvent): void {
    const before = events.at(-1);
    events.push(event);
    counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
    if (before && before.attempt !== event.attempt) {
      rows.push({ key: `attempt ${event.attempt}`, kind: "attempt", events: [event] });
      lastName = undefined;
    }
    const name = event.type === "capability_execution" ? readCall(event.payload, "").name : undefined;
    const last = rows.at(-1);
    if (name !== undefined && name === lastName && last && last.events.length < maxGroup) {
      // A new object: the row that is drawn compares by identity.
      rows[rows.length - 1] = { ...last, events: [...last.events, event] };
      return;
    }
    lastName = name;
    rows.push({ key: `${event.attempt}.${event.sequence}`, kind: event.type, events: [event] });
  }

  function matches(event: AutomationRunEvent, text: string): boolean {
    let searched = searchTexts.get(event);
    if (searched === undefined) {
      searched = toSearchText(event);
      searchTexts.set(event, searched);
    }
    return searched.includes(text);
  }

  return {
    append(added: readonly AutomationRunEvent[]): void {
      if (added.length === 0) return;
      for (const event of added) add(event);
      version++;
      for (const listener of listeners) listener();
    },
    /** The rows of a kind whose text contains `text`. */
    select(kind: FilterKind, text: string): readonly TimelineRow[] {
      const wanted = text.trim().toLowerCase();
      if (kind === "all" && wanted === "") return rows.slice();
      const kinds = kind === "all" ? undefined : kindsOf[kind];
      return rows.filter(
        (row) =>
          (kinds === undefined || kinds.includes(row.kind)) &&
          (wanted === "" || (row.kind !== "attempt" && row.events.some((event) => matches(event, wanted)))),
      );
    },
    count(kind: FilterKind): number {
      if (kind === "all") return events.length;
      return kindsOf[kind].reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
    },
    first: () => events[0],
    last: () => events.at(-1),
    events: (): readonly AutomationRunEvent[] => events,
    clear(): void {
      events = [];
      rows.length = 0;
      counts.clear();
      lastName = undefined;
      version++;
    },
    version: () => version,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
