import type { AutomationUsageTotals } from "@signalbox/client";
import { useSyncExternalStore } from "react";
import { formatNumber } from "../../lib/format.ts";
import { runs } from "../../texts/runs.ts";
import { Cost } from "../../ui/time.tsx";
import type { Timeline } from "./events/timeline.ts";

const texts = runs.run.cost;

/** The figures of the run above its events, on a phone. */
export function Summary({ usage, timeline }: { usage: AutomationUsageTotals; timeline: Timeline }) {
  useSyncExternalStore(timeline.subscribe, timeline.version);
  return (
    <div className="sumrow">
      <div>
        <span className="small t3">{texts.title}</span>
        <b>
          <Cost micros={usage.costMicros} decimals={4} />
        </b>
      </div>
      <div>
        <span className="small t3">{texts.tokens}</span>
        <b>{formatNumber(usage.inputTokens + usage.outputTokens)}</b>
      </div>
      <div>
        <span className="small t3">{texts.events}</span>
        <b>{formatNumber(timeline.count("all"))}</b>
      </div>
    </div>
  );
}
