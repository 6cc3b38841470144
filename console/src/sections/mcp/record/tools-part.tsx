import { useEffect, useState } from "react";
import { usePermission } from "../../../lib/context.tsx";
import { showInvisible } from "../../../lib/invisible.ts";
import { useFilters } from "../../../lib/paths.ts";
import { useAction, useList, useRead } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Code } from "../../../ui/code.tsx";
import { Empty, Failure, Skeleton } from "../../../ui/feedback.tsx";
import { FilterSelect } from "../../../ui/filter.tsx";
import { Find } from "../../../ui/find.tsx";
import { Refusal } from "../../../ui/refusal.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type ConnectionDetail, changed, type Policy, type Tool } from "../types.ts";
import { PolicyForm } from "./policy-form.tsx";
import { ToolItem } from "./tool-item.tsx";

const { tools: words } = texts;
const filterNames = ["all", "held", "denied", "hidden", "removed"] as const;
type FilterName = (typeof filterNames)[number];

const tests: Record<FilterName, (tool: Tool) => boolean> = {
  all: () => true,
  held: ({ state }) => state === "held",
  denied: ({ executable }) => !executable,
  hidden: ({ listed }) => !listed,
  removed: ({ state }) => state === "removed",
};

/** The tools of a server, and what may be done with them. */
export function ToolsPart({ connection }: { connection: ConnectionDetail }) {
  const { id, policy } = connection;
  const { filters, setFilters } = useFilters();
  const [find, setFind] = useState("");
  const mayManage = usePermission("mcp_connections:manage");
  const input = { path: { id }, query: { limit: 100 } };
  const list = useList("GET /v1/mcp-connections/{id}/tools", input, { everyMs: 30_000 });
  const about = useRead("GET /v1/mcp-connections/{id}/tools", { path: { id }, query: { limit: 1 } });
  const { hasMore, keepLoading } = list;
  // Searching and counting need all of them. A server has at most some hundreds.
  useEffect(() => {
    if (hasMore) keepLoading();
  });
  const toast = useToast();
  const save = useAction("PUT /v1/mcp-connections/{id}/tools/policy", {
    changes: changed,
    onDone: () => toast(words.saved),
  });
  const setPolicy = (next: Policy) => save.start({ path: { id }, body: next });
  const chosen = filterNames.find((name) => name === filters.tools) ?? "all";
  const wanted = find.toLowerCase();
  const rows = list.rows.filter(
    (tool) =>
      tests[chosen](tool) &&
      `${tool.name} ${tool.title ?? ""} ${tool.description ?? ""}`.toLowerCase().includes(wanted),
  );
  const { listedAt = null, omittedTools = 0, instructions = null } = about.data ?? {};
  return (
    <>
      <div className="filters finds no-gap">
        <Find value={find} onChange={setFind} label={words.find} />
        <FilterSelect
          label={words.filter}
          value={chosen}
          onChange={(value) => setFilters({ tools: value === "all" ? undefined : value })}
          options={filterNames.map((value) => ({ value, label: words.filters[value] }))}
        />
        <span className="grow" />
        {listedAt !== null && (
          <span className="small t3">
            {words.listed} <Time at={listedAt} />
          </span>
        )}
      </div>
      <Refusal of={save} />
      {omittedTools > 0 && <p className="note care">{words.omitted(omittedTools)}</p>}
      <div className="card">
        {list.isLoading ? (
          <Skeleton rows={6} />
        ) : list.error && list.rows.length === 0 ? (
          <Failure error={list.error} what={words.what} onRetry={list.retry} />
        ) : rows.length === 0 ? (
          list.rows.length === 0 ? (
            <Empty title={words.empty} text={words.emptyText} />
          ) : (
            <Empty title={words.noMatch} />
          )
        ) : (
          <ToolRows rows={rows} policy={policy} onPolicy={mayManage ? setPolicy : undefined} />
        )}
      </div>
      {instructions !== null && instructions !== "" && (
        <Code text={showInvisible(instructions)} title={words.instructions} />
      )}
      {mayManage && (
        <Card title={texts.policy.title} padded>
          <div id="policy">
            <PolicyForm key={JSON.stringify(policy)} connectionId={id} policy={policy} tools={list.rows} />
          </div>
        </Card>
      )}
    </>
  );
}

interface ToolRowsProps {
  rows: readonly Tool[];
  policy: Policy;
  onPolicy: ((policy: Policy) => void) | undefined;
}

const shownFirst = 100;

function ToolRows({ rows, policy, onPolicy }: ToolRowsProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, shownFirst);
  return (
    <>
      <ul className="tool-rows" aria-label={words.title}>
        {shown.map((tool) => (
          <ToolItem key={tool.name} tool={tool} policy={policy} onPolicy={onPolicy} />
        ))}
      </ul>
      {rows.length > shown.length && (
        <p className="pad">
          <Button size="s" onClick={() => setIsWhole(true)}>
            {words.showAll(rows.length)}
          </Button>
        </p>
      )}
    </>
  );
}
