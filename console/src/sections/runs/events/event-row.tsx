import type { AutomationRunEvent } from "@signalbox/client";
import {
  Bot,
  Coins,
  Flag,
  type LucideIcon,
  Repeat2,
  Search,
  TriangleAlert,
  User,
  Wrench,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import { formatCost, formatExact, formatNumber, toIsoTime } from "../../../lib/format.ts";
import { runs } from "../../../texts/runs.ts";
import { findState } from "../../../ui/states.ts";
import { CallRow, SearchRow } from "./call-row.tsx";
import { MessageText } from "./message-text.tsx";
import { readText, readUsage } from "./read-event.ts";
import type { EventKind, TimelineRow } from "./timeline.ts";

const texts = runs.run.events;

const looks: Record<EventKind, { icon: LucideIcon; tone?: "ink" | "care" }> = {
  user: { icon: User },
  assistant: { icon: Bot, tone: "ink" },
  capability_search: { icon: Search },
  capability_execution: { icon: Wrench },
  usage: { icon: Coins },
  warning: { icon: TriangleAlert, tone: "care" },
  terminal: { icon: Flag },
  attempt: { icon: Repeat2 },
};

export interface RowFacts {
  /** The time of an event since the start of the run, as `1:37`. */
  formatOffset(event: AutomationRunEvent): string;
  /** The cost of a usage event as the server counted it. */
  findCost(event: AutomationRunEvent): number | undefined;
  revision: number;
}

interface EventRowProps {
  row: TimelineRow;
  facts: RowFacts;
  isOpen: boolean;
  onToggle(key: string): void;
}

/** One place of the timeline. Rows that did not change are not drawn again. */
export const EventRow = memo(function EventRow({ row, facts, isOpen, onToggle }: EventRowProps) {
  const event = row.events[0]!;
  const { icon: Icon, tone } = looks[row.kind] ?? looks.assistant;
  return (
    <div className="e">
      <time dateTime={toIsoTime(event.createdAt)} title={formatExact(event.createdAt)}>
        {facts.formatOffset(event)}
      </time>
      <span className={`k${tone ? ` ${tone}` : ""}`}>
        <Icon className="i s" aria-hidden />
      </span>
      <div className="e-body">{renderBody({ row, facts, isOpen, onToggle }, event)}</div>
    </div>
  );
});

function renderBody({ row, facts, isOpen, onToggle }: EventRowProps, event: AutomationRunEvent): ReactNode {
  const toggle = () => onToggle(row.key);
  switch (row.kind) {
    case "attempt":
      return <p className="who">{texts.attempt(event.attempt)}</p>;
    case "capability_execution":
      return <CallRow events={row.events} isOpen={isOpen} onToggle={toggle} />;
    case "capability_search":
      return <SearchRow event={event} isOpen={isOpen} onToggle={toggle} />;
    case "usage":
      return <UsageRow event={event} costMicros={facts.findCost(event)} />;
    case "warning":
      return (
        <>
          <span className="vh">{texts.warning}</span>
          <MessageText payload={event.payload} className="who care" />
        </>
      );
    case "terminal":
      return <TerminalRow event={event} />;
    case "user":
      return (
        <>
          <p className="who">
            {event.sequence <= 1 ? texts.instructions : texts.user}{" "}
            {event.sequence <= 1 && <span className="t3">{texts.revision(facts.revision)}</span>}
          </p>
          <MessageText payload={event.payload} />
        </>
      );
    default:
      return (
        <>
          <span className="vh">{texts.assistant}</span>
          <MessageText payload={event.payload} />
        </>
      );
  }
}

function UsageRow({ event, costMicros }: { event: AutomationRunEvent; costMicros: number | undefined }) {
  const { model, inputTokens, outputTokens, costMicros: reported } = readUsage(event.payload);
  const cost = costMicros ?? reported;
  return (
    <div className="call">
      <span className="t3 cut">
        {model && <span className="mono">{model} · </span>}
        {texts.tokens(formatNumber(inputTokens), formatNumber(outputTokens))}
      </span>
      {cost !== undefined && <span className="ms">+{formatCost(cost, 4)}</span>}
    </div>
  );
}

function TerminalRow({ event }: { event: AutomationRunEvent }) {
  const status = typeof event.payload.status === "string" ? event.payload.status : undefined;
  const error = event.payload.error as { message?: unknown } | undefined;
  const text = typeof error?.message === "string" ? error.message : readText(event.payload);
  return (
    <>
      <p className="who">
        {status ? texts.ended(findState("run", status).word.toLowerCase()) : texts.terminal}
      </p>
      {text && <MessageText payload={{ text }} />}
    </>
  );
}
