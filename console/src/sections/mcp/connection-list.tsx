import { Plug, Plus } from "lucide-react";
import { usePermission } from "../../lib/context.tsx";
import { formatNumber } from "../../lib/format.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import type { ListResult } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { mcp as texts } from "../../texts/mcp.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { ConnectionState } from "./state-of.tsx";
import { type Connection, findHost, needsCare } from "./types.ts";

const { list: words } = texts;

/** The API counts up to this number. */
const maxCounted = 1_000;
const formatCalls = (calls: number) => (calls < maxCounted ? formatNumber(calls) : words.manyCalls);

interface ConnectionListProps {
  list: ListResult<Connection>;
  view: "all" | "care";
  selected: string | undefined;
  /** Undefined for people who may not add servers. */
  onAdd: (() => void) | undefined;
}

/** The servers: how they are, whose account is used, and how much they are called. */
export function ConnectionList({ list, view, selected, onAdd }: ConnectionListProps) {
  const { filters } = useFilters();
  const path = usePath();
  const mayManage = usePermission("mcp_connections:manage");
  const find = (filters.find ?? "").trim();
  const rows = list.rows.filter(
    (row) =>
      (view !== "care" || needsCare(row)) &&
      `${row.name} ${row.url} ${row.slug}`.toLowerCase().includes(find.toLowerCase()),
  );
  const empty =
    find !== "" && list.rows.length > 0 ? (
      <Empty title={words.noMatch(find)} />
    ) : view === "care" && list.rows.length > 0 ? (
      <Empty title={words.emptyCare} />
    ) : (
      <Empty
        icon={Plug}
        title={words.empty}
        text={onAdd ? words.emptyText : words.emptyMember}
        action={
          onAdd && (
            <Button look="primary" icon={Plus} onClick={onAdd}>
              {texts.add}
            </Button>
          )
        }
      />
    );
  return (
    <div className="card mcp-list">
      <DataTable
        label={texts.name}
        what={texts.what}
        list={{ ...list, rows }}
        tall
        rowKey={({ id }) => id}
        selected={selected}
        to={({ id }) => ({
          to: path(`/connections/mcp/${id}`),
          search: Object.fromEntries(
            Object.entries(filters).filter(([name]) => name === "view" || name === "find"),
          ),
        })}
        empty={empty}
        columns={[
          {
            head: words.server,
            isName: true,
            cell: ({ name, url }) => (
              <>
                <span className="cut block">{name}</span>
                <span className="mono t3 cut block">{findHost(url)}</span>
              </>
            ),
          },
          { head: words.state, cell: (row) => <ConnectionState {...row} /> },
          {
            head: words.signedIn,
            phone: "hide",
            cell: (row) =>
              mayManage ? <Whose connection={row} /> : <State kind="mcp" value={row.mine.state} />,
          },
          {
            head: words.calls,
            align: "r",
            phone: "hide",
            cell: ({ callsLastDay, enabled }) =>
              enabled || callsLastDay > 0 ? formatCalls(callsLastDay) : common.none,
          },
        ]}
      />
    </div>
  );
}

/** Whose credential is used, and by how many people. */
function Whose({ connection: { registration, credential, people } }: { connection: Connection }) {
  const granted =
    people === null || people.granted === null
      ? words.everyone
      : people.granted === 0
        ? words.nobody
        : words.people(people.granted);
  const isEach = credential === "per_member" && registration !== "none";
  return (
    <>
      <span className="t block">
        {registration === "none" ? words.none : isEach ? words.each : words.shared}
      </span>
      <span className="small t3">
        {isEach && people
          ? people.granted === null
            ? words.connected(people.connected)
            : words.of(people.connected, people.granted)
          : granted}
      </span>
    </>
  );
}
