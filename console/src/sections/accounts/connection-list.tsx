import { Link2, Plus } from "lucide-react";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useProviderNames } from "../../lib/provider-names.ts";
import { useList } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { State } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { nameAccount, useWhose } from "./types.ts";

const { list: words } = texts;

interface ConnectionListProps {
  view: "accounts" | "care" | "ended";
  selected: string | undefined;
}

/** The accounts that are connected, or those that ended. */
export function ConnectionList({ view, selected }: ConnectionListProps) {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const whose = useWhose();
  const list = useList(
    "GET /v1/oauth-connections",
    { query: { ended: view === "ended" ? "true" : "false", limit: 100 } },
    { everyMs: 10_000 },
  );
  const nameProvider = useProviderNames();
  const find = (filters.find ?? "").toLowerCase();
  const rows = list.rows.filter(
    (row) =>
      (view !== "care" || row.health.status !== "connected") &&
      `${nameAccount(row)} ${nameProvider(row.providerId)} ${row.account}`.toLowerCase().includes(find),
  );
  const empties = {
    accounts: (
      <Empty
        icon={Link2}
        title={words.empty}
        text={words.emptyText}
        action={
          <LinkButton
            look="primary"
            icon={Plus}
            to={path("/connections/accounts")}
            search={{ view: "providers" }}
          >
            {texts.connect}
          </LinkButton>
        }
      />
    ),
    care: <Empty title={words.emptyCare} />,
    ended: <Empty title={words.emptyEnded} />,
  };
  return (
    <>
      {list.rows.length > 8 && (
        <div className="filters">
          <Find
            label={words.find}
            value={filters.find ?? ""}
            onChange={(value) => setFilters({ find: value })}
          />
        </div>
      )}
      <div className="card">
        <DataTable
          label={texts.name}
          what={texts.what}
          list={{ ...list, rows }}
          tall
          rowKey={({ id }) => id}
          selected={selected}
          to={({ id }) => ({ to: path(`/connections/accounts/${id}`), search: filters })}
          empty={find && list.rows.length > 0 ? <Empty title={words.noMatch} /> : empties[view]}
          columns={[
            {
              head: words.account,
              isName: true,
              cell: (row) => (
                <>
                  <span className="cut block">{nameAccount(row)}</span>
                  <span className="small t3 cut block">
                    {nameProvider(row.providerId)}
                    {row.account !== "default" && ` · ${row.account}`}
                  </span>
                </>
              ),
            },
            { head: words.state, cell: ({ health }) => <State kind="account" value={health.status} /> },
            { head: words.whose, phone: "hide", cell: (row) => whose(row) },
            { head: words.used, align: "r", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          ]}
        />
      </div>
    </>
  );
}
