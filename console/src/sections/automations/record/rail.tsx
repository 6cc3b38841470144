import type { Automation } from "@signalbox/client";
import { formatCost, formatDuration } from "../../../lib/format.ts";
import { useNamesOfMembers } from "../../../lib/member-names.ts";
import { useRead } from "../../../lib/queries.ts";
import { automations } from "../../../texts/automations.ts";
import { Pairs } from "../../../ui/card.tsx";
import { Avatar } from "../../../ui/state.tsx";
import { Cost, Id, Time } from "../../../ui/time.tsx";
import { Occurrences } from "../schedule/occurrences.tsx";
import { ScheduleWords } from "../schedule/schedule-words.tsx";
import { Revisions } from "./revisions.tsx";

const texts = automations.record;

/** The start of the month in UTC, as budgets count it. */
const findMonthStart = (): number => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
};

export function AutomationRail({ automation }: { automation: Automation }) {
  const { schedule, model, memberId, status } = automation;
  const names = useNamesOfMembers();
  const owner = memberId === null ? undefined : (names.get(memberId) ?? `…${memberId.slice(-6)}`);
  return (
    <>
      <section>
        <h2>{texts.schedule}</h2>
        <p className="t">
          <ScheduleWords schedule={schedule} />
        </p>
        {"timezone" in schedule && <p className="t3 small">{schedule.timezone}</p>}
        {status !== "archived" && schedule.kind !== "manual" && (
          <div className="undern">
            <p className="t3 small">{status === "active" ? texts.next : texts.offNext}</p>
            <Occurrences schedule={schedule} count={3} />
          </div>
        )}
      </section>
      <section>
        <h2>{texts.details}</h2>
        <Pairs
          items={[
            [texts.id, <Id key="id" id={automation.id} />],
            [
              texts.owner,
              owner === undefined ? (
                <span key="owner" className="care">
                  {texts.ownerLeft}
                </span>
              ) : (
                <span key="owner" className="row">
                  <Avatar name={owner} size="s" />
                  {owner}
                </span>
              ),
            ],
            [texts.model, model ? <code key="model">{model.modelId}</code> : texts.anyModel],
            [texts.limit, formatDuration(automation.maxRuntimeSeconds * 1000)],
            [texts.created, <Time key="created" at={automation.createdAt} form="date" />],
            [texts.changed, <Time key="changed" at={automation.updatedAt} form="date" />],
          ]}
        />
      </section>
      <Budget automationId={automation.id} />
      <Revisions automationId={automation.id} current={automation.revision} />
    </>
  );
}

function Budget({ automationId }: { automationId: string }) {
  const settings = useRead("GET /v1/automation-settings", {});
  const usage = useRead("GET /v1/automation-usage", {
    query: { groupBy: "automation", automationId, fromAt: findMonthStart() },
  });
  const limit = settings.data?.settings.runBudgetMicros;
  return (
    <section>
      <h2>{texts.budget}</h2>
      <Pairs
        items={[
          [texts.thisMonth, <Cost key="month" micros={usage.data?.totals.costMicros} />],
          [texts.runLimit, limit == null ? texts.noLimit : formatCost(limit)],
        ]}
      />
    </section>
  );
}
