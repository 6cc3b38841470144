import { useState } from "react";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { useAction, useRead } from "../../lib/queries.ts";
import { audit as texts } from "../../texts/audit.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const { chain: words } = texts;
const read = "GET /v1/audit-chain" as const;

/** The end of the chain, how to verify it, and how long entries are kept. */
export function ChainDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const query = useRead(read, {}, { enabled: open });
  const { id } = useOrganization();
  const mayManage = usePermission("audit:manage");
  return (
    <Dialog open={open} onClose={onClose} title={words.title} lead={words.lead} width="l">
      <Loaded query={query} what={words.what} rows={3}>
        {({ chain }) => (
          <>
            <Pairs
              items={[
                [words.sequence, chain.sequence],
                [words.pruned, words.prunedUpTo(chain.prunedSequence)],
                [words.retention, words.keeps(chain.retentionDays)],
              ]}
            />
            <div className="field">
              <span className="strong">{words.hash}</span>
              <CopyRow value={chain.hash} />
            </div>
            <div className="field">
              <span className="strong">{words.command}</span>
              <CopyRow
                value={`signalbox audit verify --organization ${id} --expect ${id}:${chain.sequence}:${chain.hash}`}
              />
            </div>
            {mayManage && <Retention days={chain.retentionDays} />}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function Retention({ days }: { days: number }) {
  const [value, setValue] = useState(String(days));
  const toast = useToast();
  const change = useAction("PATCH /v1/audit-chain", {
    changes: [read, "GET /v1/audit-events"],
    onDone: ({ chain }) => toast(words.saved(chain.retentionDays)),
  });
  return (
    <Form
      onSubmit={() => change.run({ body: { retentionDays: Number(value) } })}
      footer={(busy) => (
        <div className="form-acts">
          <Button type="submit" busy={busy}>
            {common.actions.save}
          </Button>
        </div>
      )}
    >
      <TextField
        label={`${words.retention} (${words.days})`}
        path="retentionDays"
        hint={words.retentionHint}
        type="number"
        min={90}
        max={36_500}
        value={value}
        onChange={setValue}
      />
    </Form>
  );
}
