import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { usePermission } from "../../../lib/context.tsx";
import { formatBytes, shortenId } from "../../../lib/format.ts";
import { escapeInvisible } from "../../../lib/invisible.ts";
import { usePath } from "../../../lib/paths.ts";
import { useAction, useRead } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Pairs } from "../../../ui/card.tsx";
import { Code } from "../../../ui/code.tsx";
import { Loaded } from "../../../ui/feedback.tsx";
import { FormProblem, TextField, useProblem } from "../../../ui/form.tsx";
import { Inspector } from "../../../ui/page.tsx";
import { State } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import type { Approval } from "../types.ts";

const { approvals: words } = texts;
const changes = ["GET /v1/mcp-approvals", "GET /v1/mcp-approvals/{id}"] as const;

/** One call that waits for a decision: who asks, for what, and with which arguments. */
export function ApprovalInspector({ id, onClose }: { id: string; onClose(): void }) {
  const query = useRead("GET /v1/mcp-approvals/{id}", { path: { id } }, { everyMs: 10_000 });
  const approval = query.data?.approval.id === id ? query.data.approval : undefined;
  const mayManage = usePermission("mcp_connections:manage");
  const [note, setNote] = useState("");
  const { problem, busy, attempt } = useProblem();
  const toast = useToast();
  const approve = useAction("POST /v1/mcp-approvals/{id}/approve", { changes });
  const deny = useAction("POST /v1/mcp-approvals/{id}/deny", { changes });
  const decide = (isApproved: boolean) =>
    void attempt(async () => {
      const input = { path: { id }, body: note.trim() ? { note: note.trim() } : {} };
      await (isApproved ? approve : deny).run(input);
      toast(isApproved ? words.approved : words.denied);
    });
  const isOpen = approval?.status === "pending";
  return (
    <Inspector
      title={approval?.tool ?? words.one}
      lead={approval && <State kind="approval" value={approval.status} boxed />}
      onClose={onClose}
      footer={
        isOpen &&
        mayManage && (
          <>
            <span className="small t3 grow">{texts.drift.audited}</span>
            <Button look="destructive" busy={busy} onClick={() => decide(false)}>
              {words.deny}
            </Button>
            <Button look="primary" busy={busy} onClick={() => decide(true)}>
              {words.approve}
            </Button>
          </>
        )
      }
    >
      <Loaded query={{ ...query, data: approval }} what={words.one}>
        {(shown) => (
          <>
            {shown.arguments === null ? (
              <p className="note care">{words.tooLarge(formatBytes(shown.argumentBytes))}</p>
            ) : (
              <Code
                text={escapeInvisible(JSON.stringify(shown.arguments, null, 2))}
                title={words.arguments}
              />
            )}
            <Facts approval={shown} />
            {isOpen && <p className="note">{mayManage ? words.once : words.waits}</p>}
            {isOpen && mayManage && (
              <TextField label={words.note} hint={words.noteHint} value={note} onChange={setNote} />
            )}
            <FormProblem problem={problem} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const path = usePath();
  const { status, runId, decidedByName, decidedAt, note } = approval;
  return (
    <Pairs
      items={[
        [
          words.server,
          <Link key="server" className="link" to={path(`/connections/mcp/${approval.connectionId}`)}>
            {approval.connectionName}
          </Link>,
        ],
        [words.asker, approval.memberName ?? words.left],
        runId !== null && [
          words.run,
          <Link key="run" className="link" to={path(`/runs/${runId}`)}>
            {shortenId(runId)}
          </Link>,
        ],
        [words.when, <Time key="when" at={approval.createdAt} />],
        status === "pending" && [words.expires, <Time key="expires" at={approval.expiresAt} />],
        status === "approved" && [words.mayCall, <Time key="until" at={approval.expiresAt} />],
        decidedAt !== null && [
          words.decided,
          <span key="decided">
            <Time at={decidedAt} /> {decidedByName !== null && texts.record.by(decidedByName)}
          </span>,
        ],
        note !== null && [words.note, note],
      ]}
    />
  );
}
