import { usePermission } from "../../../lib/context.tsx";
import { useFilters } from "../../../lib/paths.ts";
import { useList, useWhole } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { stateWords } from "../../../texts/states.ts";
import { FilterSelect } from "../../../ui/filter.tsx";
import { Find } from "../../../ui/find.tsx";
import type { Connection } from "../types.ts";
import { outcomes } from "./query.ts";

const { calls: words } = texts;

/** The filters of a call log. They live in the address. */
export function CallFilterRow({ connections }: { connections?: readonly Connection[] }) {
  const { filters, setFilters } = useFilters();
  const mayManage = usePermission("mcp_connections:manage");
  const mayReadMembers = usePermission("members:read");
  const members = useWhole(
    useList("GET /v1/members", { query: { limit: 100 } }, { enabled: mayManage && mayReadMembers }),
  );
  return (
    <div className="filters no-gap">
      {connections && (
        <FilterSelect
          label={words.server}
          value={filters.connection ?? ""}
          onChange={(value) => setFilters({ connection: value })}
          options={[
            { value: "", label: words.anyServer },
            ...connections.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <FilterSelect
        label={words.outcome}
        value={filters.outcome ?? ""}
        onChange={(value) => setFilters({ outcome: value })}
        options={[
          { value: "", label: words.anyOutcome },
          ...outcomes.map((value) => ({ value, label: stateWords.call[value] })),
        ]}
      />
      {mayManage && mayReadMembers && (
        <FilterSelect
          label={words.member}
          value={filters.member ?? ""}
          onChange={(value) => setFilters({ member: value })}
          options={[
            { value: "", label: words.anyMember },
            ...(members ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <FilterSelect
        label={words.period}
        value={filters.period ?? ""}
        onChange={(value) => setFilters({ period: value })}
        options={Object.entries(words.periods).map(([value, label]) => ({ value, label }))}
      />
      <Find
        label={words.findTool}
        value={filters.tool ?? ""}
        onChange={(value) => setFilters({ tool: value.trim() })}
      />
    </div>
  );
}
