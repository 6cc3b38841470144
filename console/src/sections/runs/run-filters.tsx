import { X } from "lucide-react";
import { usePermission } from "../../lib/context.tsx";
import { formatDate } from "../../lib/format.ts";
import { useFilters } from "../../lib/paths.ts";
import { useList, useWhole } from "../../lib/queries.ts";
import { runs } from "../../texts/runs.ts";
import { stateWords } from "../../texts/states.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { useNow } from "../../ui/time.tsx";

const texts = runs.filters;
const dayMs = 24 * 3_600_000;

const stateOptions = [
  { value: "", label: texts.all },
  { value: "queued,running", label: texts.live },
  { value: "failed,skipped,cancelled", label: texts.unsuccessful },
  ...Object.entries(stateWords.run).map(([value, label]) => ({ value, label })),
];

const ranges: Record<string, number> = { "24h": dayMs, "7d": 7 * dayMs, "30d": 30 * dayMs };

export interface RunQuery {
  status?: string;
  automationId?: string;
  memberId?: string;
  fromAt?: number;
  toAt?: number;
}

/** A time in the address. Undefined when it is none, as in a link that was cut off. */
function readTime(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : new Date(Number(text)).getTime();
  return Number.isNaN(time) ? undefined : time;
}

/** The filters of the address as a query of the API. */
export function readRunQuery(filters: Record<string, string | undefined>, now: number): RunQuery {
  const { status, automationId, memberId, range, from, to } = filters;
  const length = range !== undefined && Object.hasOwn(ranges, range) ? ranges[range] : undefined;
  const fromAt = from !== undefined ? readTime(from) : length === undefined ? undefined : now - length;
  const toAt = readTime(to);
  return {
    ...(status ? { status } : {}),
    ...(automationId ? { automationId } : {}),
    ...(memberId ? { memberId } : {}),
    ...(fromAt === undefined ? {} : { fromAt }),
    ...(toAt === undefined ? {} : { toAt }),
  };
}

export function RunFilters() {
  const { filters, setFilters } = useFilters();
  const now = useNow();
  const seesAll = usePermission("automations:manage");
  const seesMembers = usePermission("members:read") && seesAll;
  const page = { query: { limit: 100 } };
  const automations = useWhole(useList("GET /v1/automations", page));
  const members = useWhole(useList("GET /v1/members", page, { enabled: seesMembers }));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const known = stateOptions.some(({ value }) => value === (filters.status ?? ""));
  const custom = filters.from !== undefined || filters.to !== undefined;
  return (
    <div className="filters">
      <Select
        label={texts.state}
        value={filters.status ?? ""}
        onChange={(status) => setFilters({ status })}
        options={known ? stateOptions : [...stateOptions, { value: filters.status!, label: filters.status! }]}
      />
      <Select
        label={texts.automation}
        value={filters.automationId ?? ""}
        onChange={(automationId) => setFilters({ automationId })}
        options={[
          { value: "", label: texts.anyAutomation },
          ...addMissing(
            (automations ?? []).map(({ id, name }) => ({ value: id, label: name })),
            filters.automationId,
          ),
        ]}
      />
      {seesMembers && (
        <Select
          label={texts.member}
          value={filters.memberId ?? ""}
          onChange={(memberId) => setFilters({ memberId })}
          options={[
            { value: "", label: texts.anyMember },
            ...addMissing(
              (members ?? []).map(({ id, name }) => ({ value: id, label: name })),
              filters.memberId,
            ),
          ]}
        />
      )}
      <Select
        label={texts.range}
        value={custom ? "custom" : (filters.range ?? "")}
        onChange={(range) => setFilters({ range, from: undefined, to: undefined })}
        options={[
          { value: "", label: texts.anyTime },
          { value: "24h", label: texts.last24h },
          { value: "7d", label: texts.last7d },
          { value: "30d", label: texts.last30d },
          ...(custom ? [{ value: "custom", label: describeRange(filters, now) }] : []),
        ]}
      />
      {isFiltered && (
        <Button
          look="quiet"
          size="s"
          icon={X}
          onClick={() =>
            setFilters(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))
          }
        >
          {texts.clear}
        </Button>
      )}
    </div>
  );
}

function describeRange({ from, to }: Record<string, string | undefined>, now: number): string {
  const describe = (time: number | undefined) => (time === undefined ? "…" : formatDate(time, now));
  return texts.between(describe(readTime(from)), describe(readTime(to)));
}

/** A filter of the address is shown also when the list of names does not have it. */
const addMissing = (options: { value: string; label: string }[], value: string | undefined) =>
  value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: `…${value.slice(-6)}` }];
