import type { Member } from "@signalbox/client";
import { SearchX } from "lucide-react";
import { useOrganization } from "../../lib/context.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { people as texts } from "../../texts/people.ts";
import { Empty } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Avatar, Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";

export function Members({ selected }: { selected: string | undefined }) {
  const { memberId } = useOrganization();
  const path = usePath();
  const { filters, setFilters } = useFilters();
  const status = filters.status === "deactivated" ? "deactivated" : "active";
  const list = useList("GET /v1/members", {
    query: {
      status,
      ...(filters.search ? { search: filters.search } : {}),
      ...(filters.role ? { role: filters.role } : {}),
    },
  });
  const columns: Column<Member>[] = [
    {
      head: texts.columns.name,
      isName: true,
      cell: (member) => (
        <span className="row">
          <Avatar name={member.name} size="s" />
          <span className="cut">{member.name}</span>
          {member.id === memberId && <Tag>{texts.you}</Tag>}
        </span>
      ),
    },
    {
      head: texts.columns.email,
      phone: "hide",
      cell: (member) => <span className="cut">{member.email}</span>,
    },
    { head: texts.columns.role, cell: (member) => member.roleName },
    ...(selected
      ? []
      : ([
          {
            head: texts.columns.teams,
            phone: "hide",
            cell: (member) => member.teams.map(({ name }) => name).join(", "),
          },
          {
            head: texts.columns.since,
            align: "r",
            phone: "hide",
            cell: (member) => <Time at={member.createdAt} form="date" />,
          },
        ] satisfies Column<Member>[])),
  ];
  return (
    <>
      <div className="filters">
        <Segments
          label={texts.filters.status}
          value={status}
          onChange={(value) => setFilters({ status: value === "active" ? undefined : value })}
          options={[
            { value: "active", label: texts.filters.active },
            { value: "deactivated", label: texts.filters.deactivated },
          ]}
        />
        <span className="grow" />
        <Find
          value={filters.search ?? ""}
          onChange={(search) => setFilters({ search })}
          label={texts.filters.find}
        />
      </div>
      <section className="card">
        <DataTable
          label={texts.tabs.members}
          what={texts.what.members}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          selected={selected}
          to={({ id }) => ({ to: path(`/people/members/${id}`), search: filters })}
          empty={<Empty icon={SearchX} title={texts.empty.members.title} text={texts.empty.members.text} />}
        />
      </section>
    </>
  );
}
