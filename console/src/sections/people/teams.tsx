import type { Team } from "@signalbox/client";
import { UsersRound } from "lucide-react";
import { usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { people as texts } from "../../texts/people.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

interface Props {
  selected: string | undefined;
  /** Undefined without the permission. */
  onCreate: (() => void) | undefined;
}

export function Teams({ selected, onCreate }: Props) {
  const path = usePath();
  const list = useList("GET /v1/teams", {});
  const columns: Column<Team>[] = [
    {
      head: texts.columns.name,
      isName: true,
      cell: ({ name }) => name,
    },
    {
      head: texts.team.description,
      phone: "hide",
      cell: ({ description }) => <span className="cut">{description}</span>,
    },
    { head: texts.columns.members, align: "r", phone: "label", cell: ({ memberCount }) => memberCount },
    {
      head: texts.columns.changed,
      align: "r",
      phone: "hide",
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ];
  return (
    <section className="card">
      <DataTable
        label={texts.tabs.teams}
        what={texts.what.teams}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        selected={selected}
        to={({ id }) => ({ to: path(`/people/teams/${id}`) })}
        empty={
          <Empty
            icon={UsersRound}
            title={texts.empty.teams.title}
            text={texts.empty.teams.text}
            action={onCreate && <Button onClick={onCreate}>{texts.team.new}</Button>}
          />
        }
      />
    </section>
  );
}
