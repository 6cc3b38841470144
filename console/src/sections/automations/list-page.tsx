import type { Automation } from "@signalbox/client";
import { useNavigate } from "@tanstack/react-router";
import { Plus, Workflow } from "lucide-react";
import { useMemo } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { useNamesOfMembers } from "../../lib/member-names.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { type ListResult, useList, useWhole } from "../../lib/queries.ts";
import { automations } from "../../texts/automations.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Page } from "../../ui/page.tsx";
import { Select } from "../../ui/select.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import "./automations.css";
import { ScheduleWords } from "./schedule/schedule-words.tsx";

const texts = automations;
const states = ["active", "inactive", "archived"] as const;

export default function AutomationsPage() {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const navigate = useNavigate();
  const seesAll = usePermission("automations:manage");
  const status = states.find((one) => one === filters.status);
  const list = useList(
    "GET /v1/automations",
    {
      query: {
        limit: 50,
        ...(status ? { status } : {}),
        ...(filters.memberId ? { memberId: filters.memberId } : {}),
      },
    },
    { everyMs: 10_000 },
  );
  const names = useNamesOfMembers(seesAll);
  const shown = useNamed(list, filters.find);
  const { useKey } = useShortcuts();
  useKey("c", () => void navigate({ to: path("/automations/new") }));
  const isFiltered = status !== undefined || filters.memberId !== undefined || filters.find !== undefined;
  const create = (
    <LinkButton look="primary" icon={Plus} to={path("/automations/new")}>
      {texts.create}
    </LinkButton>
  );
  return (
    <Page name={texts.title} title={texts.title} lead={texts.lead} actions={create}>
      <Filters isWithOwners={seesAll} find={filters.find ?? ""} setFilters={setFilters} filters={filters} />
      <section className="card">
        <DataTable
          label={texts.title}
          what={texts.what}
          list={shown}
          columns={createColumns(seesAll ? names : undefined)}
          rowKey={({ id }) => id}
          to={({ id }) => ({ to: path(`/automations/${id}`) })}
          empty={
            isFiltered ? (
              <Empty icon={Workflow} title={texts.empty.filteredTitle} text={texts.empty.filteredText} />
            ) : (
              <Empty icon={Workflow} title={texts.empty.title} text={texts.empty.text} action={create} />
            )
          }
        />
      </section>
    </Page>
  );
}

interface FiltersProps {
  isWithOwners: boolean;
  find: string;
  filters: Record<string, string | undefined>;
  setFilters(changes: Record<string, string | undefined>): void;
}

function Filters({ isWithOwners, find, filters, setFilters }: FiltersProps) {
  const members = useWhole(useList("GET /v1/members", { query: { limit: 100 } }, { enabled: isWithOwners }));
  const words = texts.filters;
  return (
    <div className="filters finds">
      <Select
        label={words.state}
        value={filters.status ?? ""}
        onChange={(status) => setFilters({ status })}
        options={[
          { value: "", label: words.current },
          ...states.map((value) => ({ value, label: words[value] })),
        ]}
      />
      {isWithOwners && (
        <Select
          label={words.member}
          value={filters.memberId ?? ""}
          onChange={(memberId) => setFilters({ memberId })}
          options={[
            { value: "", label: words.anyMember },
            ...(members ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <span className="grow" />
      <Find value={find} onChange={(text) => setFilters({ find: text })} label={words.find} />
    </div>
  );
}

/** The rows whose name contains a text. All pages are read while somebody searches. */
function useNamed(list: ListResult<Automation>, text: string | undefined): ListResult<Automation> {
  return useMemo(() => {
    const wanted = text?.toLowerCase();
    if (!wanted) return list;
    if (list.hasMore) list.keepLoading();
    return { ...list, rows: list.rows.filter(({ name }) => name.toLowerCase().includes(wanted)) };
  }, [list, text]);
}

const createColumns = (names: ReadonlyMap<string, string> | undefined): Column<Automation>[] => [
  { head: texts.columns.name, isName: true, cell: ({ name }) => name },
  { head: texts.columns.state, cell: ({ status }) => <State kind="automation" value={status} /> },
  {
    head: texts.columns.schedule,
    phone: "hide",
    cell: ({ schedule }) => <ScheduleWords schedule={schedule} />,
  },
  {
    head: texts.columns.next,
    phone: "label",
    className: "under",
    cell: ({ status, nextRunAt }) => <Time at={status === "active" ? nextRunAt : null} />,
  },
  {
    head: texts.columns.last,
    phone: "hide",
    cell: ({ lastRun }) =>
      lastRun === null ? (
        <span className="t3">{texts.neverRan}</span>
      ) : (
        <span className="row">
          <State kind="run" value={lastRun.status} />
          <span className="t3 small">
            <Time at={lastRun.finishedAt ?? lastRun.createdAt} />
          </span>
        </span>
      ),
  },
  ...(names
    ? [
        {
          head: texts.columns.owner,
          phone: "hide" as const,
          cell: ({ memberId }: Automation) => (memberId && names.get(memberId)) ?? texts.none,
        },
      ]
    : []),
];
