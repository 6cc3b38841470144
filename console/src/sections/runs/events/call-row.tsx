import type { AutomationRunEvent } from "@signalbox/client";
import { Check, ChevronDown, ChevronRight, X } from "lucide-react";
import { useState } from "react";
import { formatDuration } from "../../../lib/format.ts";
import { runs } from "../../../texts/runs.ts";
import { CopyButton } from "../../../ui/copy.tsx";
import { readCall, readSearch, summarize, summarizeCall } from "./read-event.ts";

const { events: texts, tabs, nothing } = runs.run;

interface CallRowProps {
  events: readonly AutomationRunEvent[];
  isOpen: boolean;
  onToggle(): void;
}

/** A tool call in one line, or several calls of the same tool. Opens to arguments, result and the raw event. */
export function CallRow({ events, isOpen, onToggle }: CallRowProps) {
  const calls = events.map(({ payload }) => readCall(payload, texts.call));
  const first = calls[0]!;
  const isGroup = calls.length > 1;
  const durations = calls.map(({ durationMs }) => durationMs).filter((ms) => ms !== undefined);
  const summary = isGroup
    ? texts.calls(
        calls.length,
        calls
          .map(({ input }) => summarize(input))
          .filter(Boolean)
          .join("; "),
      )
    : summarizeCall(first);
  return (
    <>
      <FoldLine
        name={first.name}
        summary={summary}
        isOpen={isOpen}
        onToggle={onToggle}
        durationMs={durations.length > 0 ? durations.reduce((sum, ms) => sum + ms, 0) : undefined}
        hasFailed={calls.some(({ hasFailed }) => hasFailed)}
      />
      {isOpen &&
        events.map((event, i) => (
          <Fold
            key={`${event.attempt}.${event.sequence}`}
            input={calls[i]!.input}
            result={calls[i]!.result}
            raw={event.payload}
          />
        ))}
    </>
  );
}

interface SearchRowProps {
  event: AutomationRunEvent;
  isOpen: boolean;
  onToggle(): void;
}

export function SearchRow({ event, isOpen, onToggle }: SearchRowProps) {
  const { query, results } = readSearch(event.payload);
  return (
    <>
      <FoldLine
        name={query === "" ? texts.search : `“${query}”`}
        summary={texts.found(results.length)}
        isOpen={isOpen}
        onToggle={onToggle}
      />
      {isOpen && <Fold input={query} result={results} raw={event.payload} />}
    </>
  );
}

interface FoldLineProps {
  name: string;
  summary: string;
  isOpen: boolean;
  onToggle(): void;
  durationMs?: number | undefined;
  hasFailed?: boolean;
}

function FoldLine({ name, summary, isOpen, onToggle, durationMs, hasFailed }: FoldLineProps) {
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <button type="button" className="call call-fold" aria-expanded={isOpen} onClick={onToggle}>
      <Chevron className="i s t3" aria-hidden />
      <span className="name cut">{name}</span>
      <span className="sum cut">{summary}</span>
      {hasFailed !== undefined && (
        <span className="ms row">
          {hasFailed ? <X className="i s bad" aria-hidden /> : <Check className="i s ok" aria-hidden />}
          <span className="vh">{hasFailed ? texts.failed : texts.succeeded}</span>
          {durationMs !== undefined && formatDuration(durationMs)}
        </span>
      )}
    </button>
  );
}

type Part = "arguments" | "result" | "raw";

function Fold({ input, result, raw }: { input: unknown; result: unknown; raw: unknown }) {
  const [part, setPart] = useState<Part>(
    input === undefined && result !== undefined ? "result" : "arguments",
  );
  const value = { arguments: input, result, raw }[part];
  const text = part === "raw" ? JSON.stringify(raw, null, 2) : writeValue(value);
  return (
    <div className="fold">
      <header>
        {(["arguments", "result", "raw"] as const).map((one) => (
          <button
            key={one}
            type="button"
            className="fold-tab"
            aria-current={part === one || undefined}
            onClick={() => setPart(one)}
          >
            {tabs[one]}
          </button>
        ))}
        <span className="grow" />
        <CopyButton value={text} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll long text with the keyboard. */}
      <pre tabIndex={0}>{text === "" ? <span className="t3">{nothing}</span> : text}</pre>
    </div>
  );
}

/** A flat object as aligned names and values, everything else as text or JSON. */
function writeValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  const entries = Object.entries(value);
  const isFlat = !Array.isArray(value) && entries.every(([, one]) => typeof one !== "object" || one === null);
  if (!isFlat) return JSON.stringify(value, null, 2);
  const width = Math.min(24, Math.max(0, ...entries.map(([name]) => name.length)));
  return entries.map(([name, one]) => `${name.padEnd(width)}  ${String(one)}`).join("\n");
}
