import { useParams } from "@tanstack/react-router";
import type { Item } from "../../lib/api.ts";
import { formatBytes, formatCost, formatNumber } from "../../lib/format.ts";
import { useFilters } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { admin } from "../../texts/admin.ts";
import { Card } from "../../ui/card.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";

const texts = admin.organizations;
const states = ["active", "suspended", "provisional"] as const;
const tones = { active: "ok", suspended: "bad", provisional: "care" } as const;

export const OrganizationState = ({ state }: { state: (typeof states)[number] }) => (
  <Tag tone={tones[state]}>{texts.states[state]}</Tag>
);

/** Left out while an organization is open beside the list. */
const wideColumns: readonly Column<Item<"GET /v1/admin/organizations">>[] = [
  {
    head: texts.storage,
    align: "r",
    phone: "hide",
    cell: ({ storageBytes }) => formatBytes(storageBytes),
  },
  { head: texts.created, phone: "hide", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function AdminOrganizations() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { filters, setFilters } = useFilters();
  const state = states.find((one) => one === filters.state);
  const search = filters.search ?? "";
  const organizations = useList(
    "GET /v1/admin/organizations",
    { query: { ...(state ? { state } : {}), ...(search === "" ? {} : { search }) } },
    { everyMs: 10_000 },
  );
  return (
    <div className="parts full">
      <div className="row wrap">
        <Find value={search} onChange={(value) => setFilters({ search: value })} label={texts.find} />
        <Segments
          label={texts.filter}
          value={state ?? "all"}
          onChange={(value) => setFilters({ state: value === "all" ? undefined : value })}
          options={[
            { value: "all", label: texts.all },
            ...states.map((value) => ({ value, label: texts.states[value] })),
          ]}
        />
      </div>
      <Card>
        <DataTable
          label={texts.label}
          what={texts.what}
          list={organizations}
          rowKey={(row) => row.id}
          selected={id}
          to={(row) => ({ to: `/admin/organizations/${row.id}`, search: filters })}
          columns={[
            { head: texts.name, isName: true, cell: ({ name }) => name },
            { head: texts.state, cell: (row) => <OrganizationState state={row.state} /> },
            {
              head: texts.members,
              align: "r",
              phone: "label",
              cell: ({ members }) => formatNumber(members),
            },
            { head: texts.runs, align: "r", phone: "hide", cell: ({ runs }) => formatNumber(runs) },
            {
              head: texts.failures,
              align: "r",
              phone: "hide",
              cell: ({ failures }) => formatNumber(failures),
            },
            { head: texts.cost, align: "r", cell: ({ costMicros }) => formatCost(costMicros) },
            ...(id === undefined ? wideColumns : []),
          ]}
          empty={<Empty title={texts.none} text={texts.noneText} />}
        />
      </Card>
    </div>
  );
}
