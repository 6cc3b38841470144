import type { Worker } from "@signalbox/client";
import { useNavigate } from "@tanstack/react-router";
import { ArrowUpToLine, Ellipsis, KeyRound, Pause, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { workers } from "../../texts/workers.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { RefusalDialog } from "../../ui/refusal.tsx";
import { useToast } from "../../ui/toast.tsx";
import { EditWorkerDialog, PauseDialog, TokenDialog, UpgradeDialog } from "./worker-dialogs.tsx";

const texts = workers.record;
type Open = "pause" | "drain" | "upgrade" | "token" | "edit" | "remove";

export function WorkerActions({ worker }: { worker: Worker }) {
  const mayManage = usePermission("workers:manage");
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const input = { path: { id: worker.id } };
  const changes = ["GET /v1/workers", "GET /v1/workers/{id}", "GET /v1/workers/{id}/activity"] as const;
  const resume = useAction("POST /v1/workers/{id}/resume", {
    changes,
    onDone: () => toast(texts.resumed(worker.name)),
  });
  const drain = useAction("POST /v1/workers/{id}/drain", {
    changes,
    onDone: () => toast(texts.drained(worker.name)),
  });
  const remove = useAction("DELETE /v1/workers/{id}", {
    changes: ["GET /v1/workers"],
    onDone: () => {
      toast(texts.removedToast(worker.name));
      void navigate({ to: path("/workers") });
    },
  });
  if (!mayManage) return null;
  return (
    <>
      {worker.pause ? (
        <Button size="s" icon={Play} busy={resume.isRunning} onClick={() => resume.start(input)}>
          {texts.resume}
        </Button>
      ) : (
        <Button size="s" icon={Pause} onClick={() => setOpen("pause")}>
          {texts.pause}
        </Button>
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={common.actions.more} />}>
        <MenuItem icon={ArrowUpToLine} onSelect={() => setOpen("upgrade")}>
          {texts.upgrade}
        </MenuItem>
        <MenuItem onSelect={() => setOpen("drain")}>{texts.drain}</MenuItem>
        <MenuItem icon={Pencil} onSelect={() => setOpen("edit")}>
          {texts.edit}
        </MenuItem>
        <MenuItem icon={KeyRound} onSelect={() => setOpen("token")}>
          {texts.newToken}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} destructive onSelect={() => setOpen("remove")}>
          {texts.remove}
        </MenuItem>
      </Menu>
      {open === "pause" && <PauseDialog worker={worker} onClose={close} />}
      {open === "upgrade" && <UpgradeDialog worker={worker} onClose={close} />}
      {open === "token" && <TokenDialog worker={worker} onClose={close} />}
      {open === "edit" && <EditWorkerDialog worker={worker} onClose={close} />}
      <RefusalDialog of={resume} />
      <ConfirmDialog
        open={open === "drain"}
        onClose={close}
        title={texts.drainTitle(worker.name)}
        text={texts.drainText}
        action={texts.drain}
        onConfirm={() => drain.run(input)}
      />
      <ConfirmDialog
        open={open === "remove"}
        onClose={close}
        title={texts.removeTitle(worker.name)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={() => remove.run(input)}
      />
    </>
  );
}
