import { Copy, Ellipsis, FileJson, Plug, Share2, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { discover as texts } from "../../texts/discover.ts";
import { mcp } from "../../texts/mcp.ts";
import { Button, IconButton, LinkButton } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { useToast } from "../../ui/toast.tsx";
import { exportDiscovery } from "./export.ts";
import { ShareDialog } from "./share-dialog.tsx";
import type { KeptDiscovery } from "./types.ts";

const { more: words } = texts;

/** What can be done with a kept verdict: save it as a connection, share, export, delete. */
export function VerdictActions({ discovery, onDeleted }: { discovery: KeptDiscovery; onDeleted(): void }) {
  const [isSharing, setIsSharing] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const toast = useToast();
  const path = usePath();
  const maySave = usePermission("mcp_connections:manage");
  const remove = useAction("DELETE /v1/mcp-discoveries/{id}", {
    changes: ["GET /v1/mcp-discoveries"],
    onDone: () => {
      toast(words.deleted);
      onDeleted();
    },
  });
  const copyAddress = async () => {
    if (await copyText(discovery.url)) toast(common.actions.copied);
  };
  return (
    <>
      {maySave && discovery.status !== "unsupported" && (
        <LinkButton
          look="primary"
          icon={Plug}
          to={path("/connections/mcp")}
          search={{ new: "server", discovery: discovery.id }}
        >
          {mcp.saveVerdict}
        </LinkButton>
      )}
      <Button icon={Share2} onClick={() => setIsSharing(true)}>
        {texts.share.action}
      </Button>
      <Menu trigger={<IconButton icon={Ellipsis} label={words.label} look="secondary" size="m" />}>
        <MenuItem icon={FileJson} onSelect={() => exportDiscovery(discovery)}>
          {words.export}
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => void copyAddress()}>
          {words.copyAddress}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} destructive onSelect={() => setIsDeleting(true)}>
          {words.delete}
        </MenuItem>
      </Menu>
      <ShareDialog id={discovery.id} open={isSharing} onClose={() => setIsSharing(false)} />
      <ConfirmDialog
        open={isDeleting}
        onClose={() => setIsDeleting(false)}
        title={words.deleteTitle}
        text={words.deleteText}
        action={words.delete}
        onConfirm={() => remove.run({ path: { id: discovery.id } })}
      />
    </>
  );
}
