import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useNamesOfMembers } from "../../../lib/member-names.ts";
import { useFilters, usePath } from "../../../lib/paths.ts";
import { useList } from "../../../lib/queries.ts";
import { automations } from "../../../texts/automations.ts";
import { common } from "../../../texts/common.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Diff } from "../../../ui/diff.tsx";
import { Failure, Skeleton } from "../../../ui/feedback.tsx";
import { Tag } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { writeRevision } from "./revision-text.ts";

const texts = automations.record;

interface RevisionsProps {
  automationId: string;
  current: number;
}

/** The revisions of an automation. Each opens what it changed; the address says which. */
export function Revisions({ automationId, current }: RevisionsProps) {
  const path = usePath();
  const names = useNamesOfMembers();
  const { filters, setFilters } = useFilters();
  const list = useList("GET /v1/automations/{id}/revisions", {
    path: { id: automationId },
    query: { limit: 20 },
  });
  const chosen = filters.revision === undefined ? undefined : Number(filters.revision);
  const at = list.rows.findIndex(({ revision }) => revision === chosen);
  const shown = list.rows[at];
  const before = shown && list.rows[at + 1];
  // A link may lead to an older one, and each is compared with the one before it.
  const isIncomplete = chosen !== undefined && before === undefined && list.hasMore;
  useEffect(() => {
    if (isIncomplete) list.keepLoading();
  });
  return (
    <section>
      <h2>{texts.revisions}</h2>
      {list.error != null && list.rows.length === 0 && (
        <Failure error={list.error} what={texts.revisions} onRetry={list.retry} />
      )}
      <ul className="revisions">
        {list.rows.map(({ revision, createdAt, createdBy }) => (
          <li key={revision}>
            <Link to={path(`/automations/${automationId}`)} search={{ revision } as never}>
              <span className="t">{texts.revision(revision)}</span>
              {revision === current && <Tag>{texts.current}</Tag>}
              <span className="grow t3 cut">{names.get(createdBy)}</span>
              <span className="t3">
                <Time at={createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button look="quiet" size="s" onClick={list.loadMore}>
          {common.actions.more}
        </Button>
      )}
      <Dialog
        open={shown !== undefined}
        onClose={() => setFilters({ revision: undefined })}
        title={shown ? texts.showChanges(shown.revision) : ""}
        width="l"
      >
        {shown &&
          (before ? (
            <Diff before={writeRevision(before)} after={writeRevision(shown)} />
          ) : isIncomplete ? (
            <Skeleton rows={4} />
          ) : (
            <p>{shown.revision === 1 ? texts.firstRevision : texts.older}</p>
          ))}
      </Dialog>
    </section>
  );
}
