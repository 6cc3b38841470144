import { useNavigate } from "@tanstack/react-router";
import { usePath } from "../../../lib/paths.ts";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { useToast } from "../../../ui/toast.tsx";
import type { ConnectionDetail } from "../types.ts";

const { settings: words } = texts;

interface RemoveDialogProps {
  connection: ConnectionDetail;
  open: boolean;
  onClose(): void;
}

/** Asks for the name before a connection is deleted. */
export function RemoveDialog({ connection: { id, name }, open, onClose }: RemoveDialogProps) {
  const path = usePath();
  const navigate = useNavigate();
  const toast = useToast();
  const remove = useAction("DELETE /v1/mcp-connections/{id}", {
    changes: ["GET /v1/mcp-connections"],
    onDone: () => {
      toast(words.removed(name));
      void navigate({ to: path("/connections/mcp") });
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={words.removeTitle(name)}
      text={words.removeText}
      action={words.remove}
      typeName={name}
      onConfirm={() => remove.run({ path: { id } })}
    />
  );
}
