import type { Template } from "@signalbox/client";
import { useParams } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { templates } from "../../texts/templates.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { RecordPage } from "../../ui/page.tsx";
import { PendingRecord } from "../../ui/pending-record.tsx";
import { Tag } from "../../ui/state.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Changes } from "./changes.tsx";
import { TemplateRail } from "./rail.tsx";
import "./templates.css";

const texts = templates.template;
const views = ["rendered", "source", "changes"] as const;
type View = (typeof views)[number];

export default function TemplatePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const path = usePath();
  const read = useRead("GET /v1/templates/{id}", { path: { id } }, { everyMs: 10_000 });
  const template = read.data?.template;
  const list = { label: templates.title, to: path("/templates") };
  if (!template) return <PendingRecord id={id} list={list} query={read} what={texts.what} />;
  return (
    <RecordPage
      name={template.name}
      crumbs={[list, { label: template.name }]}
      title={template.name}
      beside={<Tag>{texts.version(template.version)}</Tag>}
      lead={template.description}
      rail={<TemplateRail template={template} />}
    >
      <Content template={template} />
    </RecordPage>
  );
}

/** The text of the chosen version: rendered, as it is written, or what it changed. */
function Content({ template }: { template: Template }) {
  const { filters, setFilters } = useFilters();
  const view: View = views.find((one) => one === filters.view) ?? "rendered";
  const version = Number(filters.version ?? template.version);
  const isCurrent = version === template.version;
  const older = useRead(
    "GET /v1/templates/{id}/versions/{version}",
    { path: { id: template.id, version: String(version) } },
    { enabled: !isCurrent },
  );
  return (
    <>
      <div className="filters">
        <Segments<View>
          label={texts.views.label}
          value={view}
          onChange={(next) => setFilters({ view: next === "rendered" ? undefined : next })}
          options={views.map((value) => ({ value, label: texts.views[value] }))}
        />
      </div>
      {!isCurrent && (
        <div className="note older-version">
          <History className="i s" aria-hidden />
          <span className="grow">{texts.older(version, template.version)}</span>
          <Button size="s" onClick={() => setFilters({ version: undefined, compare: undefined })}>
            {texts.current}
          </Button>
        </div>
      )}
      {isCurrent ? (
        <Body view={view} id={template.id} version={version} body={template.body} />
      ) : (
        <Loaded query={older} what={texts.what} rows={6}>
          {({ version: { body } }) => <Body view={view} id={template.id} version={version} body={body} />}
        </Loaded>
      )}
    </>
  );
}

interface BodyProps {
  view: View;
  id: string;
  version: number;
  body: string;
}

function Body({ view, id, version, body }: BodyProps) {
  if (view === "source") return <Code text={body} title={texts.copySource} />;
  if (view === "changes") return <Changes id={id} version={version} body={body} />;
  return <Markdown text={body} />;
}
