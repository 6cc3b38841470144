import type { SsoSamlConnector } from "@signalbox/client";
import { useAction, useRead } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = access.sso;

/** The provider's metadata, and a change of it that waits for approval. */
export function SamlMetadata({ connector, mayManage }: { connector: SsoSamlConnector; mayManage: boolean }) {
  const toast = useToast();
  const query = useRead("GET /v1/sso/{id}/metadata", { path: { id: connector.id } });
  const { problem, busy, attempt } = useProblem();
  const changes = ["GET /v1/sso/{id}", "GET /v1/sso/{id}/metadata"] as const;
  const refresh = useAction("POST /v1/sso/{id}/metadata/refresh", {
    changes,
    onDone: () => toast(texts.refreshed),
  });
  const approve = useAction("POST /v1/sso/{id}/metadata/approve", {
    changes,
    onDone: () => toast(texts.approved),
  });
  const path = { id: connector.id };
  return (
    <>
      <h3 className="sub-title">{texts.metadata}</h3>
      <Loaded query={query} what={texts.metadata} rows={2}>
        {({ metadata: { url, checkedAt, failure, change } }) => (
          <>
            <Pairs
              items={[
                [texts.entityId, <code key="entity">{connector.provider.entityId}</code>],
                url !== null && [texts.metadata, <code key="url">{url}</code>],
                checkedAt !== null && [texts.refresh, <Time key="checked" at={checkedAt} />],
              ]}
            />
            {failure !== null && <p className="note bad">{failure}</p>}
            {change && (
              <div className="note care">
                <div className="stack-gap grow">
                  <p>
                    <b className="strong">{texts.change}.</b> {texts.changeText}
                  </p>
                  <ul className="diff">
                    {change.certificatesRemoved.map(({ fingerprint, subject }) => (
                      <li key={fingerprint} className="del">
                        {subject} <code>{fingerprint}</code>
                      </li>
                    ))}
                    {change.certificatesAdded.map(({ fingerprint, subject }) => (
                      <li key={fingerprint} className="add">
                        {subject} <code>{fingerprint}</code>
                      </li>
                    ))}
                  </ul>
                  {mayManage && (
                    <Button
                      busy={busy}
                      onClick={() => void attempt(() => approve.run({ path, body: { changeId: change.id } }))}
                    >
                      {texts.approve}
                    </Button>
                  )}
                </div>
              </div>
            )}
            <FormProblem problem={problem} />
            {mayManage && url !== null && (
              <div className="row">
                <Button busy={busy} onClick={() => void attempt(() => refresh.run({ path }))}>
                  {texts.refresh}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
