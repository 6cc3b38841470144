import type { Worker } from "@signalbox/client";
import { useState } from "react";
import { parseLabels } from "../../lib/labels.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { workers } from "../../texts/workers.ts";
import { Button } from "../../ui/button.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = workers.record;

interface Props {
  worker: Worker;
  onClose(): void;
}

const changes = ["GET /v1/workers", "GET /v1/workers/{id}", "GET /v1/workers/{id}/activity"] as const;

export function PauseDialog({ worker, onClose }: Props) {
  const toast = useToast();
  const [note, setNote] = useState("");
  const pause = useAction("POST /v1/workers/{id}/pause", {
    changes,
    onDone: () => {
      toast(texts.paused(worker.name));
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={texts.pauseTitle(worker.name)} lead={texts.pauseLead}>
      <Form
        onSubmit={() => pause.run({ path: { id: worker.id }, body: { note: note.trim() } })}
        footer={(busy) => <DialogActions busy={busy} action={texts.pause} onClose={onClose} />}
      >
        <TextField
          label={texts.note}
          hint={texts.noteHint}
          path="note"
          value={note}
          onChange={setNote}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

export function UpgradeDialog({ worker, onClose }: Props) {
  const toast = useToast();
  const [version, setVersion] = useState(worker.desiredVersion ?? "");
  const upgrade = useAction("POST /v1/workers/{id}/runtime/upgrade", {
    changes: [...changes, "GET /v1/workers/{id}/runtime/upgrades"],
    onDone: () => {
      toast(texts.upgradeAsked(worker.name));
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={texts.upgradeTitle(worker.name)} lead={texts.upgradeLead}>
      <Form
        onSubmit={() => upgrade.run({ path: { id: worker.id }, body: { version: version.trim() } })}
        footer={(busy) => <DialogActions busy={busy} action={texts.upgrade} onClose={onClose} />}
      >
        <TextField
          label={texts.version}
          path="version"
          value={version}
          onChange={setVersion}
          mono
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

export function EditWorkerDialog({ worker, onClose }: Props) {
  const toast = useToast();
  const [name, setName] = useState(worker.name);
  const [labels, setLabels] = useState(worker.labels.join(", "));
  const save = useAction("PATCH /v1/workers/{id}", {
    changes,
    onDone: () => {
      toast(texts.saved);
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={texts.edit}>
      <Form
        onSubmit={() =>
          save.run({ path: { id: worker.id }, body: { name: name.trim(), labels: parseLabels(labels) } })
        }
        footer={(busy) => <DialogActions busy={busy} action={common.actions.save} onClose={onClose} />}
      >
        <TextField label={workers.add.name} path="name" value={name} onChange={setName} autoFocus />
        <TextField
          label={texts.labels}
          hint={workers.add.labelsHint}
          path="labels"
          value={labels}
          onChange={setLabels}
        />
      </Form>
    </Dialog>
  );
}

export function TokenDialog({ worker, onClose }: Props) {
  const [token, setToken] = useState<string>();
  const rotate = useAction("POST /v1/workers/{id}/tokens", {
    changes,
    onDone: (reply) => setToken(reply.token),
  });
  return (
    <Dialog open onClose={onClose} title={token ? texts.tokenMade : texts.newToken} lead={texts.tokenLead}>
      {token ? (
        <>
          <SecretRow value={token} />
          <footer className="row dlg-acts">
            <Button look="primary" onClick={onClose}>
              {workers.add.done}
            </Button>
          </footer>
        </>
      ) : (
        <Form
          onSubmit={() => rotate.run({ path: { id: worker.id }, body: {} })}
          footer={(busy) => <DialogActions busy={busy} action={texts.newToken} onClose={onClose} />}
        >
          {null}
        </Form>
      )}
    </Dialog>
  );
}
