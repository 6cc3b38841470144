import type { Automation } from "@signalbox/client";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Archive, CirclePause, CirclePlay, Ellipsis, Pencil, Play } from "lucide-react";
import { useState } from "react";
import type { Reply } from "../../../lib/api.ts";
import { useOrganization } from "../../../lib/context.tsx";
import { usePath } from "../../../lib/paths.ts";
import { useAction } from "../../../lib/queries.ts";
import { automations } from "../../../texts/automations.ts";
import { Button, IconButton, LinkButton } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import type { useProblem } from "../../../ui/form.tsx";
import { Menu, MenuItem, MenuLine } from "../../../ui/menu.tsx";
import { useToast } from "../../../ui/toast.tsx";

const texts = automations.record;
const changes = ["GET /v1/automations", "GET /v1/automations/{id}"] as const;

interface ActionsProps {
  automation: Automation;
  /** Shows a refusal on the page. */
  attempt: ReturnType<typeof useProblem>["attempt"];
}

export function Actions({ automation, attempt }: ActionsProps) {
  const { id, name, status } = automation;
  const path = usePath();
  const navigate = useNavigate();
  const toast = useToast();
  const [isArchiving, setIsArchiving] = useState(false);
  const runNow = useAction("POST /v1/automations/{id}/run", {
    changes: ["GET /v1/automation-runs", ...changes],
    onDone: ({ run }) =>
      toast(texts.queued, {
        label: texts.seeRun,
        run: () => void navigate({ to: path(`/runs/${run.id}`) }),
      }),
  });
  const setActive = useSetActive(id);
  const archive = useAction("POST /v1/automations/{id}/archive", {
    changes,
    onDone: () => toast(texts.archived),
  });
  if (status === "archived") return null;
  const isActive = status === "active";
  return (
    <>
      <LinkButton icon={Pencil} size="s" to={path(`/automations/${id}/edit`)}>
        {texts.edit}
      </LinkButton>
      <Button
        look="primary"
        size="s"
        icon={Play}
        busy={runNow.isRunning}
        onClick={() => attempt(() => runNow.run({ path: { id } }))}
      >
        {texts.runNow}
      </Button>
      <Menu trigger={<IconButton icon={Ellipsis} label={texts.more} />}>
        <MenuItem icon={Pencil} render={<Link to={path(`/automations/${id}/edit`)} />}>
          {texts.edit}
        </MenuItem>
        <MenuItem
          icon={isActive ? CirclePause : CirclePlay}
          onSelect={() => void attempt(() => setActive(!isActive))}
        >
          {isActive ? texts.deactivate : texts.activate}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Archive} destructive onSelect={() => setIsArchiving(true)}>
          {texts.archive}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={isArchiving}
        onClose={() => setIsArchiving(false)}
        title={texts.archiveTitle(name)}
        text={texts.archiveText}
        action={texts.archive}
        onConfirm={() => archive.run({ path: { id } })}
      />
    </>
  );
}

/** Switches the schedule. The page shows the new state at once, and the old one again when the server refuses. */
function useSetActive(id: string): (isActive: boolean) => Promise<void> {
  const { id: organizationId } = useOrganization();
  const cache = useQueryClient();
  const toast = useToast();
  const activate = useAction("POST /v1/automations/{id}/activate", { changes });
  const deactivate = useAction("POST /v1/automations/{id}/deactivate", { changes });
  return async (isActive) => {
    const key = [organizationId, "GET /v1/automations/{id}", { path: { id } }];
    const before = cache.getQueryData<Reply<"GET /v1/automations/{id}">>(key);
    if (before)
      cache.setQueryData(key, {
        automation: { ...before.automation, status: isActive ? "active" : "inactive" },
      });
    try {
      await (isActive ? activate : deactivate).run({ path: { id } });
      toast(isActive ? texts.activated : texts.deactivated);
    } catch (error) {
      cache.setQueryData(key, before);
      throw error;
    }
  };
}
