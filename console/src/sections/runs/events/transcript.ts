import type { AutomationRunEvent } from "@signalbox/client";
import { toIsoTime } from "../../../lib/format.ts";
import { readText } from "./read-event.ts";

/** The events as text, one block each, for the clipboard. */
export const writeTranscript = (events: readonly AutomationRunEvent[]): string =>
  events
    .map(({ type, createdAt, payload }) => {
      const text =
        type === "user" || type === "assistant" || type === "warning" ? readText(payload) : undefined;
      return `[${toIsoTime(createdAt)}] ${type}\n${text ?? JSON.stringify(payload, null, 2)}`;
    })
    .join("\n\n");
