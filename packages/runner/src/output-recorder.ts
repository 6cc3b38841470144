import type { Journal } from "./journal.ts";
import type { Line } from "./lines.ts";
import { type Event, parseErrorLine, parseOutputLine, type Result } from "./output.ts";
import { addUsage, noUsage } from "./usage.ts";

/** A program that prints without end must fill neither this disk nor the server's. */
const journalLimits = {
  events: 100_000,
  bytes: 64 * 1024 * 1024,
  /** Reserve for usage events in a full journal, because usage decides costs. Beyond it usage is only added up. */
  spareEvents: 10_000,
  spareBytes: 4 * 1024 * 1024,
};
const maxErrorLines = 1_000;

/** Writes the output of a program to its journal. `onAdded` is called after each addition. */
export function createOutputRecorder(
  journal: Journal,
  onAdded: () => void,
  limits = journalLimits,
  mask = (line: Line): Line => line,
) {
  let result: Result | undefined;
  let lastLine: string | undefined;
  let lastErrorLine: string | undefined;
  let errorLines = 0;
  let isFull = false;
  let uncounted = noUsage;

  const add = (events: Event[]) => {
    if (events.length === 0) return;
    journal.add(events, Date.now());
    onAdded();
  };
  const hasSpareRoom = (more: number) =>
    journal.count + more < limits.events + limits.spareEvents &&
    journal.bytes < limits.bytes + limits.spareBytes;
  const createWarning = (text: string): Event => ({ type: "warning", payload: { text } });
  return {
    onStdout(lines: Line[]) {
      const events: Event[] = [];
      for (const line of lines) {
        const parsed = parseOutputLine(mask(line));
        if (!parsed) continue;
        if ("result" in parsed) {
          result = parsed.result;
          continue;
        }
        if (parsed.plain !== undefined) lastLine = parsed.plain;
        const wasFull = isFull;
        isFull ||= journal.count + events.length >= limits.events || journal.bytes >= limits.bytes;
        if (isFull && !wasFull)
          events.push(createWarning("It said too much: from here on only usage and the result are kept."));
        if (!isFull) events.push(parsed.event);
        else if (parsed.usage) {
          // Keeps only what decides the cost, because the rest of the line may be long.
          if (hasSpareRoom(events.length))
            events.push({ type: "usage", payload: { ...parsed.usage, ...parsed.pricedBy } });
          else uncounted = addUsage(uncounted, parsed.usage);
        }
      }
      add(events);
    },
    onStderr(lines: Line[]) {
      const events: Event[] = [];
      for (const line of lines) {
        const event = parseErrorLine(mask(line));
        if (!event) continue;
        lastErrorLine = event.payload.text as string;
        errorLines++;
        if (isFull || errorLines > maxErrorLines) continue;
        events.push(errorLines < maxErrorLines ? event : createWarning("More on stderr is left out."));
      }
      add(events);
    },
    summarize: () => ({ result, lastLine, lastErrorLine, uncounted }),
  };
}
