import type { Template } from "@signalbox/client";
import { Link } from "@tanstack/react-router";
import { useNamesOfMembers } from "../../lib/member-names.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { templates } from "../../texts/templates.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { Json } from "../../ui/code.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Failure } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import { Id, Time } from "../../ui/time.tsx";

const texts = templates.template;

export function TemplateRail({ template }: { template: Template }) {
  const path = usePath();
  const { source, tags, metadata } = template;
  return (
    <>
      <section>
        <h2>{texts.origin}</h2>
        {source === null ? (
          <p>{texts.made}</p>
        ) : (
          <Pairs
            items={[
              [
                texts.repository,
                <Link
                  key="repository"
                  className="link"
                  to={path(`/code-host/connectors/${source.connectorId}`)}
                >
                  {source.connectorName}
                </Link>,
              ],
              [texts.path, <code key="path">{source.path}</code>],
              [
                texts.commit,
                <CopyText key="commit" value={source.commit} shown={source.commit.slice(0, 10)} />,
              ],
              source.author !== null && [texts.author, source.author],
            ]}
          />
        )}
      </section>
      <section>
        <h2>{texts.details}</h2>
        <Pairs
          items={[
            [texts.id, <Id key="id" id={template.id} />],
            [texts.slug, <code key="slug">{template.slug}</code>],
            tags.length > 0 && [
              texts.tags,
              <span key="tags" className="row wrap">
                {tags.map((tag) => (
                  <Link key={tag} to={path("/templates")} search={{ tag } as never}>
                    <Tag>{tag}</Tag>
                  </Link>
                ))}
              </span>,
            ],
            [texts.created, <Time key="created" at={template.createdAt} form="date" />],
            [texts.changed, <Time key="changed" at={template.updatedAt} form="date" />],
          ]}
        />
        {Object.keys(metadata).length > 0 && (
          <div className="undern">
            <Json value={metadata} title={texts.metadata} />
          </div>
        )}
      </section>
      <Versions template={template} />
    </>
  );
}

/** All versions. Each opens with what it changed. */
function Versions({ template }: { template: Template }) {
  const path = usePath();
  const names = useNamesOfMembers();
  const { filters } = useFilters();
  const chosen = Number(filters.version ?? template.version);
  const list = useList("GET /v1/templates/{id}/versions", {
    path: { id: template.id },
    query: { limit: 20 },
  });
  return (
    <section>
      <h2>{texts.history}</h2>
      {list.error != null && list.rows.length === 0 && (
        <Failure error={list.error} what={texts.history} onRetry={list.retry} />
      )}
      <ol className="versions">
        {list.rows.map(({ version, createdAt, author, createdBy }) => (
          <li key={version}>
            <Link
              to={path(`/templates/${template.id}`)}
              search={{ version, view: "changes" } as never}
              aria-current={version === chosen || undefined}
            >
              <span className="t">{texts.version(version)}</span>
              {version === template.version && <Tag>{texts.now}</Tag>}
              <span className="grow t3 cut">
                {author ?? (createdBy === null ? texts.sync : names.get(createdBy))}
              </span>
              <span className="t3">
                <Time at={createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <Button look="quiet" size="s" onClick={list.loadMore}>
          {common.actions.more}
        </Button>
      )}
    </section>
  );
}
