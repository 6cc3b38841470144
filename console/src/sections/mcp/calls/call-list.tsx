import { Download, List } from "lucide-react";
import { useOrganization, useServices } from "../../../lib/context.tsx";
import { formatDuration } from "../../../lib/format.ts";
import { useChosenAt, useFilters, usePath } from "../../../lib/paths.ts";
import { useList } from "../../../lib/queries.ts";
import { saveFile } from "../../../lib/save-file.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Empty } from "../../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../../ui/form.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { State } from "../../../ui/state.tsx";
import { DataTable } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import type { Connection } from "../types.ts";
import { CallFilterRow } from "./filter-row.tsx";
import { readCallFilters } from "./query.ts";

const { calls: words } = texts;

interface CallListProps {
  connections: readonly Connection[];
  selected: string | undefined;
}

/** All calls of tools. New ones appear by themselves. */
export function CallList({ connections, selected }: CallListProps) {
  const { filters } = useFilters();
  const path = usePath();
  const query = readCallFilters(filters, useChosenAt(filters.period));
  const list = useList("GET /v1/mcp-calls", { query }, { everyMs: 5_000 });
  return (
    <div className="stack-s">
      <CallFilterRow connections={connections} />
      <div className="card">
        <DataTable
          label={texts.views.calls}
          what={words.what}
          list={list}
          tall
          rowKey={({ id }) => id}
          selected={selected}
          to={({ id }) => ({ to: path("/connections/mcp"), search: { ...filters, call: id } })}
          empty={
            Object.keys(query).length > 0 ? (
              <Empty title={words.emptyFiltered} />
            ) : (
              <Empty icon={List} title={words.empty} text={words.emptyText} />
            )
          }
          columns={[
            {
              head: words.tool,
              isName: true,
              cell: ({ tool, connectionName }) => (
                <>
                  <code className="cut block">{tool}</code>
                  <span className="small t3 cut block">{connectionName ?? words.removed}</span>
                </>
              ),
            },
            {
              head: words.outcome,
              cell: ({ outcome, code }) => (
                <>
                  <State kind="call" value={outcome} />
                  {code !== null && <span className="small t3 mono cut block">{code}</span>}
                </>
              ),
            },
            {
              head: words.member,
              cell: ({ memberName, client }) => (
                <>
                  <span className="cut block">{memberName ?? words.nobody}</span>
                  <span className="small t3 cut block">{client ?? ""}</span>
                </>
              ),
            },
            { head: words.took, align: "r", phone: "hide", cell: ({ ms }) => formatDuration(ms) },
            {
              head: words.when,
              align: "r",
              cell: ({ createdAt }) => <Time at={createdAt} />,
            },
          ]}
        />
      </div>
    </div>
  );
}

/** The last line of a complete file. */
const endings = { csv: "# complete", ndjson: '{"complete":true}' };
type Format = keyof typeof endings;

/** Saves every call that matches the filters. A file that is not complete is not saved. */
export function CallExport({ filters }: { filters: Record<string, string | undefined> }) {
  const { api } = useServices();
  const { id: organizationId, slug } = useOrganization();
  const { problem, busy, attempt, clear } = useProblem();
  const toast = useToast();
  const save = async (format: Format) => {
    const isSaved = await attempt(async () => {
      const query = readCallFilters(filters, Date.now());
      const given = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
      const file = await api.download("/v1/mcp-calls/export", { format, ...given }, { organizationId });
      const end = await file.slice(-64).text();
      if (!end.trimEnd().endsWith(endings[format])) throw new Error(words.incomplete);
      saveFile(`mcp-calls-${slug}.${format}`, file);
    });
    if (isSaved) toast(words.exported);
  };
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" size="s" icon={Download} busy={busy}>
            {busy ? words.exporting : words.export}
          </Button>
        }
      >
        <MenuItem onSelect={() => void save("csv")}>{words.csv}</MenuItem>
        <MenuItem onSelect={() => void save("ndjson")}>{words.ndjson}</MenuItem>
      </Menu>
      <Dialog open={problem !== undefined} onClose={clear} title={words.export}>
        <FormProblem problem={problem} />
      </Dialog>
    </>
  );
}
