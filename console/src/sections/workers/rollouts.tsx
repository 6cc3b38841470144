import type { WorkerRollout } from "@signalbox/client";
import { Ellipsis, Rocket } from "lucide-react";
import { useState } from "react";
import { parseLabels } from "../../lib/labels.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { workers } from "../../texts/workers.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = workers.rollout;

export function Rollouts({ mayManage }: { mayManage: boolean }) {
  const list = useList("GET /v1/worker-rollouts", {}, { everyMs: 5_000 });
  const columns: Column<WorkerRollout>[] = [
    { head: workers.columns.version, cell: ({ version }) => <code className="strong">{version}</code> },
    {
      head: workers.columns.state,
      cell: ({ endedAt }) => (
        <Tag tone={endedAt === null ? "live" : "none"}>{endedAt === null ? texts.running : texts.over}</Tag>
      ),
    },
    { head: workers.columns.percent, align: "r", cell: ({ percent }) => `${percent}%` },
    {
      head: workers.columns.progress,
      phone: "hide",
      cell: ({ counts }) => (
        <span className="row">
          {texts.progress(counts.upgraded, counts.selected, counts.matching)}
          {counts.failed > 0 && <Tag tone="bad">{texts.failed(counts.failed)}</Tag>}
        </span>
      ),
    },
    {
      head: workers.columns.labels,
      phone: "hide",
      cell: ({ labels }) => labels.map((label) => <Tag key={label}>{label}</Tag>),
    },
    {
      head: workers.columns.created,
      align: "r",
      phone: "hide",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    ...(mayManage
      ? ([
          { head: "", align: "r", cell: (rollout) => <Actions rollout={rollout} /> },
        ] satisfies Column<WorkerRollout>[])
      : []),
  ];
  return (
    <section className="card">
      <DataTable
        label={workers.tabs.rollouts}
        what={workers.what.rollouts}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty icon={Rocket} title={workers.empty.rollouts} text={workers.empty.rolloutsText} />}
      />
    </section>
  );
}

const changes = ["GET /v1/worker-rollouts", "GET /v1/workers"] as const;

function Actions({ rollout }: { rollout: WorkerRollout }) {
  const toast = useToast();
  const [open, setOpen] = useState<"share" | "end">();
  const [percent, setPercent] = useState(String(rollout.percent));
  const close = () => setOpen(undefined);
  const path = { id: rollout.id };
  const raise = useAction("PATCH /v1/worker-rollouts/{id}", {
    changes,
    onDone: () => {
      toast(texts.changed);
      close();
    },
  });
  const end = useAction("DELETE /v1/worker-rollouts/{id}", { changes, onDone: () => toast(texts.ended) });
  if (rollout.endedAt !== null) return null;
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={rollout.version} />}>
        <MenuItem onSelect={() => setOpen("share")}>{texts.raise}</MenuItem>
        <MenuItem destructive onSelect={() => setOpen("end")}>
          {texts.end}
        </MenuItem>
      </Menu>
      {open === "share" && (
        <Dialog open onClose={close} title={texts.raise}>
          <Form
            onSubmit={() => raise.run({ path, body: { percent: Number(percent) } })}
            footer={(busy) => (
              <footer className="row dlg-acts">
                <Button onClick={close}>{common.actions.cancel}</Button>
                <Button look="primary" type="submit" busy={busy}>
                  {texts.raise}
                </Button>
              </footer>
            )}
          >
            <TextField
              label={texts.percent}
              path="percent"
              inputMode="numeric"
              value={percent}
              onChange={setPercent}
              autoFocus
            />
          </Form>
        </Dialog>
      )}
      <ConfirmDialog
        open={open === "end"}
        onClose={close}
        title={texts.endTitle(rollout.version)}
        text={texts.endText}
        action={texts.end}
        onConfirm={() => end.run({ path })}
      />
    </>
  );
}

export function NewRolloutDialog({ onClose }: { onClose(): void }) {
  const toast = useToast();
  const [version, setVersion] = useState("");
  const [percent, setPercent] = useState("10");
  const [labels, setLabels] = useState("");
  const create = useAction("POST /v1/worker-rollouts", {
    changes,
    onDone: () => {
      toast(texts.created);
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={texts.title} lead={texts.lead}>
      <Form
        onSubmit={() =>
          create.run({
            body: { version: version.trim(), percent: Number(percent), labels: parseLabels(labels) },
          })
        }
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {texts.create}
            </Button>
          </footer>
        )}
      >
        <TextField
          label={texts.version}
          path="version"
          value={version}
          onChange={setVersion}
          mono
          autoFocus
        />
        <TextField
          label={texts.percent}
          path="percent"
          inputMode="numeric"
          value={percent}
          onChange={setPercent}
        />
        <TextField
          label={texts.labels}
          hint={texts.labelsHint}
          path="labels"
          value={labels}
          onChange={setLabels}
        />
      </Form>
    </Dialog>
  );
}
