import { useFilters } from "../../lib/paths.ts";
import { useList, useRead, useWhole } from "../../lib/queries.ts";
import { templates } from "../../texts/templates.ts";
import { Diff } from "../../ui/diff.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Select } from "../../ui/select.tsx";

const texts = templates.template;

interface ChangesProps {
  id: string;
  version: number;
  body: string;
}

/** The lines that differ from another version, by default from the one before. */
export function Changes({ id, version, body }: ChangesProps) {
  const { filters, setFilters } = useFilters();
  const versions = useList("GET /v1/templates/{id}/versions", { path: { id }, query: { limit: 100 } });
  const others = (useWhole(versions) ?? []).map((row) => row.version).filter((one) => one !== version);
  const before = filters.compare ? Number(filters.compare) : others.find((one) => one < version);
  if (!versions.isLoading && before === undefined && others.length === 0)
    return <p className="t3">{texts.first}</p>;
  return (
    <>
      <div className="filters">
        <span className="t3">{texts.compareWith}</span>
        <Select
          label={texts.compareWith}
          value={String(before ?? "")}
          onChange={(compare) => setFilters({ compare })}
          options={others.map((one) => ({ value: String(one), label: texts.version(one) }))}
        />
      </div>
      {before === undefined ? (
        <p className="t3">{texts.first}</p>
      ) : (
        <Comparison id={id} before={before} after={body} />
      )}
    </>
  );
}

function Comparison({ id, before, after }: { id: string; before: number; after: string }) {
  const other = useRead("GET /v1/templates/{id}/versions/{version}", {
    path: { id, version: String(before) },
  });
  return (
    <Loaded query={other} what={texts.version(before)} rows={6}>
      {({ version: { body } }) =>
        body === after ? (
          <p className="t3">{texts.same}</p>
        ) : (
          <div className="card diff-card">
            <Diff before={body} after={after} />
          </div>
        )
      }
    </Loaded>
  );
}
