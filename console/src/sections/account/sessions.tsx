import { useState } from "react";
import { useAction, useList } from "../../lib/queries.ts";
import { useSignOut } from "../../lib/sign-out.ts";
import { account } from "../../texts/account.ts";
import { shell } from "../../texts/shell.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = account.sessions;
const list = "GET /v1/me/sessions";

export function Sessions() {
  const toast = useToast();
  const sessions = useList(list, {}, { everyMs: 30_000 });
  const end = useAction("DELETE /v1/me/sessions/{id}", { changes: [list] });
  const endOthers = useAction("POST /v1/me/sessions/end-others", { changes: [list] });
  const [asks, setAsks] = useState(false);
  const { problem, attempt } = useProblem();
  const signOut = useSignOut();
  const endOne = (id: string) =>
    attempt(async () => {
      await end.run({ path: { id } });
      toast(texts.ended);
    });
  return (
    <div className="parts">
      <p>{texts.lead}</p>
      <FormProblem problem={problem} />
      <Card
        title={texts.title}
        actions={
          sessions.rows.length > 1 && (
            <Button size="s" onClick={() => setAsks(true)}>
              {texts.endOthers}
            </Button>
          )
        }
      >
        <DataTable
          label={texts.label}
          what={texts.what}
          list={sessions}
          rowKey={({ id }) => id}
          tall
          columns={[
            {
              head: texts.device,
              cell: ({ device, address, userAgent }) => (
                <span title={userAgent}>
                  <span className="strong">{device}</span>
                  <br />
                  <span className="small t3">{address ?? texts.unknownAddress}</span>
                </span>
              ),
            },
            { head: texts.by, cell: ({ signedInBy }) => texts.methods[signedInBy], phone: "hide" },
            { head: texts.signedIn, cell: ({ createdAt }) => <Time at={createdAt} />, phone: "hide" },
            { head: texts.lastUsed, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
            {
              head: "",
              align: "r",
              cell: ({ id, current, device }) =>
                current ? (
                  <>
                    <Tag tone="live">{texts.current}</Tag>{" "}
                    <Button size="s" onClick={() => void signOut()}>
                      {shell.user.signOut}
                    </Button>
                  </>
                ) : (
                  <Button size="s" aria-label={texts.endLabel(device)} onClick={() => void endOne(id)}>
                    {texts.end}
                  </Button>
                ),
            },
          ]}
          empty={<Empty title={texts.none} />}
        />
      </Card>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.endOthersTitle}
        text={texts.endOthersText}
        action={texts.endOthers}
        onConfirm={async () => {
          const { ended } = await endOthers.run({});
          toast(texts.othersEnded(ended));
        }}
      />
    </div>
  );
}
