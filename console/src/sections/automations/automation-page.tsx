import type { Automation } from "@signalbox/client";
import { Link, useParams } from "@tanstack/react-router";
import { CirclePlay } from "lucide-react";
import { usePath } from "../../lib/paths.ts";
import { useProviderNames } from "../../lib/provider-names.ts";
import { useList, useRead } from "../../lib/queries.ts";
import { automations } from "../../texts/automations.ts";
import { runs } from "../../texts/runs.ts";
import { Card, MoreLink } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { RecordPage } from "../../ui/page.tsx";
import { PendingRecord } from "../../ui/pending-record.tsx";
import { State, Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { createRunColumns } from "../runs/run-columns.tsx";
import { useRunCosts } from "../runs/use-run-costs.ts";
import "./automations.css";
import { Actions } from "./record/actions.tsx";
import { AutomationRail } from "./record/rail.tsx";

const texts = automations.record;

export default function AutomationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const path = usePath();
  const read = useRead("GET /v1/automations/{id}", { path: { id } }, { everyMs: 10_000 });
  const automation = read.data?.automation;
  const { problem, attempt } = useProblem();
  const list = { label: automations.title, to: path("/automations") };
  if (!automation) return <PendingRecord id={id} list={list} query={read} what={texts.what} />;
  return (
    <RecordPage
      name={automation.name}
      crumbs={[list, { label: automation.name }]}
      barActions={<Actions automation={automation} attempt={attempt} />}
      title={automation.name}
      beside={<State kind="automation" value={automation.status} boxed />}
      rail={<AutomationRail automation={automation} />}
    >
      <FormProblem problem={problem} />
      <div className="record-parts">
        <Card title={texts.instructions} padded actions={<CopyButton value={automation.instructions} />}>
          <p className="instructions">{automation.instructions}</p>
        </Card>
        <Resources automation={automation} />
        <Runs automationId={automation.id} />
      </div>
    </RecordPage>
  );
}

function Resources({ automation: { templates, connections } }: { automation: Automation }) {
  const path = usePath();
  const nameProvider = useProviderNames(connections.length > 0);
  return (
    <Card title={texts.resources} padded>
      {templates.length + connections.length === 0 ? (
        <p className="t3">{texts.noResources}</p>
      ) : (
        <div className="row wrap">
          {templates.map(({ id, name }) =>
            name === null ? (
              <Tag key={id} tone="bad">{`…${id.slice(-6)} ${texts.gone}`}</Tag>
            ) : (
              <Link key={id} to={path(`/templates/${id}`)}>
                <Tag outlined>{name}</Tag>
              </Link>
            ),
          )}
          {connections.map(({ id, account, providerId }) =>
            account === null || providerId === null ? (
              <Tag key={id} tone="bad">{`…${id.slice(-6)} ${texts.gone}`}</Tag>
            ) : (
              <Link key={id} to={path(`/connections/accounts/${providerId}`)}>
                <Tag outlined>{`${nameProvider(providerId)} · ${account}`}</Tag>
              </Link>
            ),
          )}
        </div>
      )}
    </Card>
  );
}

function Runs({ automationId }: { automationId: string }) {
  const path = usePath();
  const list = useList("GET /v1/automation-runs", { query: { automationId, limit: 10 } }, { everyMs: 3_000 });
  const rows = list.rows.slice(0, 10);
  const findCost = useRunCosts(rows, { automationId });
  return (
    <Card
      title={texts.runs}
      actions={
        <MoreLink to={path("/runs")} search={{ automationId }}>
          {texts.allRuns}
        </MoreLink>
      }
    >
      <DataTable
        label={texts.runs}
        what={runs.what}
        list={{ ...list, rows, hasMore: false }}
        columns={createRunColumns({ findCost, withAutomation: false })}
        rowKey={({ id }) => id}
        to={({ id }) => ({ to: path(`/runs/${id}`) })}
        empty={<Empty icon={CirclePlay} title={runs.empty.title} text={runs.empty.text} />}
      />
    </Card>
  );
}
