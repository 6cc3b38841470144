import type { SsoDomain } from "@signalbox/client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useAction, useList } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Failure, Skeleton } from "../../ui/feedback.tsx";
import { Form, FormProblem, TextField, useProblem } from "../../ui/form.tsx";
import { RestOfList } from "../../ui/loaded-list.tsx";
import { Tag } from "../../ui/state.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = access.sso;

export function Domains() {
  const mayManage = usePermission("sso:manage");
  const list = useList("GET /v1/sso/domains", {});
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Card
      title={texts.domains}
      actions={
        mayManage && (
          <Button icon={Plus} onClick={() => setIsAdding(true)}>
            {texts.addDomain}
          </Button>
        )
      }
    >
      <p className="pad-line t3">{texts.domainsLead}</p>
      {list.isLoading && <Skeleton rows={1} />}
      {list.error ? <Failure error={list.error} what={access.what.domains} onRetry={list.retry} /> : null}
      <ul>
        {list.rows.map((domain) => (
          <DomainRow key={domain.id} domain={domain} mayManage={mayManage} />
        ))}
      </ul>
      <RestOfList list={list} />
      {!list.isLoading && !list.error && list.rows.length === 0 && (
        <p className="pad-line">{texts.domainEmpty}</p>
      )}
      {isAdding && <AddDomainDialog onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

function DomainRow({ domain, mayManage }: { domain: SsoDomain; mayManage: boolean }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const { problem, busy, attempt } = useProblem();
  const changes = ["GET /v1/sso/domains"] as const;
  const verify = useAction("POST /v1/sso/domains/{id}/verify", {
    changes,
    onDone: (reply) => {
      if (reply.domain.verifiedAt !== null) toast(texts.domainVerified(reply.domain.domain));
    },
  });
  const remove = useAction("DELETE /v1/sso/domains/{id}", { changes });
  const input = { path: { id: domain.id } };
  const isVerified = domain.verifiedAt !== null;
  return (
    <li className="item">
      <div className="grow stack-gap">
        <div className="row wrap">
          <span className="strong">{domain.domain}</span>
          {domain.failingSince !== null ? (
            <Tag tone="bad">{texts.failing}</Tag>
          ) : (
            <Tag tone={isVerified ? "ok" : "care"}>{isVerified ? texts.verified : texts.notVerified}</Tag>
          )}
          <span className="grow" />
          {mayManage && (
            <>
              {(!isVerified || domain.failingSince !== null) && (
                <Button size="s" busy={busy} onClick={() => void attempt(() => verify.run(input))}>
                  {texts.verify}
                </Button>
              )}
              <Button size="s" look="quiet" onClick={() => setAsks(true)}>
                {texts.removeDomain}
              </Button>
            </>
          )}
        </div>
        {(!isVerified || domain.failingSince !== null) && (
          <div className="values">
            <p>{texts.txt}</p>
            <CopyRow value={domain.txtName} />
            <CopyRow value={domain.txtValue} />
          </div>
        )}
        <FormProblem problem={problem} />
      </div>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.removeDomainTitle(domain.domain)}
        text={texts.removeDomainText}
        action={texts.removeDomain}
        onConfirm={() => remove.run(input)}
      />
    </li>
  );
}

function AddDomainDialog({ onClose }: { onClose(): void }) {
  const [domain, setDomain] = useState("");
  const add = useAction("POST /v1/sso/domains", { changes: ["GET /v1/sso/domains"], onDone: onClose });
  return (
    <Dialog open onClose={onClose} title={texts.addDomain} lead={texts.domainsLead}>
      <Form
        onSubmit={() => add.run({ body: { domain: domain.trim() } })}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {texts.addDomain}
            </Button>
          </footer>
        )}
      >
        <TextField
          label={texts.domain}
          path="domain"
          value={domain}
          onChange={setDomain}
          autoFocus
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}
