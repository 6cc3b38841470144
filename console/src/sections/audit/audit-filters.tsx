import { usePermission } from "../../lib/context.tsx";
import { useFilters } from "../../lib/paths.ts";
import { useList, useWhole } from "../../lib/queries.ts";
import { audit as texts } from "../../texts/audit.ts";
import { Button } from "../../ui/button.tsx";
import { FilterSelect } from "../../ui/filter.tsx";
import { Find } from "../../ui/find.tsx";
import { describeAction } from "./query.ts";

const { filters: words } = texts;
const names = ["action", "actorId", "credential", "targetId", "from", "to"] as const;

/** Who, what, when and on what. The filters are in the address. */
export function AuditFilters() {
  const { filters, setFilters } = useFilters();
  const { action, actorId, credential, targetId = "", from = "", to = "" } = filters;
  const mayReadMembers = usePermission("members:read");
  const members = useWhole(
    useList("GET /v1/members", { query: { limit: 100 } }, { enabled: mayReadMembers }),
  );
  const people = (members ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const kinds = Object.entries(texts.kinds).map(([value, label]) => ({ value, label }));
  const isSet = names.some((name) => filters[name]);
  return (
    <div className="filters">
      <FilterSelect
        label={words.kind}
        value={action ?? ""}
        onChange={(value) => setFilters({ action: value })}
        options={[{ value: "", label: words.anyKind }, ...withChosen(kinds, action, describeAction)]}
      />
      <FilterSelect
        label={words.actor}
        value={actorId ?? ""}
        onChange={(value) => setFilters({ actorId: value })}
        options={[{ value: "", label: words.anyActor }, ...withChosen(people, actorId)]}
      />
      <FilterSelect
        label={words.credential}
        value={credential ?? ""}
        onChange={(value) => setFilters({ credential: value })}
        options={[
          { value: "", label: words.anyCredential },
          ...Object.entries(texts.credentials).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Day label={words.from} value={from} onChange={(value) => setFilters({ from: value })} />
      <Day label={words.to} value={to} onChange={(value) => setFilters({ to: value })} />
      <Find
        label={words.target}
        value={targetId}
        onChange={(value) => setFilters({ targetId: value.trim() })}
      />
      {isSet && (
        <Button
          look="quiet"
          size="s"
          onClick={() => setFilters(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {words.clear}
        </Button>
      )}
    </div>
  );
}

/** A link may name a value that is not in the list. It is offered too, so that the filter shows what it does. */
function withChosen(
  options: readonly { value: string; label: string }[],
  chosen: string | undefined,
  describe: (value: string) => string = (value) => value,
) {
  return !chosen || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: describe(chosen) }];
}

interface DayProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

const Day = ({ label, value, onChange }: DayProps) => (
  <label className="row day">
    <span className="small t3">{label}</span>
    <input
      type="date"
      className="input s filter"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
);
