import { Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, FlaskConical, List, Power, Radar, Settings2, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../../lib/context.tsx";
import { usePath } from "../../../lib/paths.ts";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Menu, MenuItem, MenuLine } from "../../../ui/menu.tsx";
import { RefusalDialog } from "../../../ui/refusal.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type ConnectionDetail, changed } from "../types.ts";
import { RemoveDialog } from "./remove-dialog.tsx";

const { record: words, settings } = texts;

/** The quiet actions of an open connection, in the bar. */
export function RecordActions({ connection }: { connection: ConnectionDetail }) {
  const path = usePath();
  const navigate = useNavigate();
  const mayManage = usePermission("mcp_connections:manage");
  const base = path(`/connections/mcp/${connection.id}`);
  return (
    <>
      <Button
        look="quiet"
        size="s"
        icon={FlaskConical}
        aria-label={words.test}
        onClick={() => void navigate({ to: base, search: { test: String(Date.now()) } as never })}
      >
        <span className="no-phone">{words.test}</span>
      </Button>
      <Link className="btn q s" aria-label={words.callLog} to={`${base}/calls`}>
        <List className="i s" aria-hidden />
        <span className="no-phone">{words.callLog}</span>
      </Link>
      {mayManage && <MoreMenu connection={connection} base={base} />}
    </>
  );
}

function MoreMenu({ connection, base }: { connection: ConnectionDetail; base: string }) {
  const { id, enabled } = connection;
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const input = { path: { id } };
  const discover = useAction("POST /v1/mcp-connections/{id}/discover", {
    changes: changed,
    onDone: (reply) =>
      toast(reply.connection.verdictDrift.length > 0 ? words.discoveredDrift : words.discoveredSame),
  });
  const save = useAction("PATCH /v1/mcp-connections/{id}", {
    changes: changed,
    onDone: () => toast(enabled ? words.switchedOff : words.switchedOn),
  });
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={texts.more} />}>
        <MenuItem
          icon={Radar}
          disabled={discover.isRunning}
          onSelect={() => discover.start({ ...input, body: {} })}
        >
          {words.discoverAgain}
        </MenuItem>
        <MenuItem icon={Settings2} render={<Link to={`${base}/settings`} />}>
          {texts.tabs.settings}
        </MenuItem>
        <MenuItem icon={Power} onSelect={() => save.start({ ...input, body: { enabled: !enabled } })}>
          {enabled ? words.switchOff : words.switchOn}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} destructive onSelect={() => setAsks(true)}>
          {settings.remove}
        </MenuItem>
      </Menu>
      <RefusalDialog of={discover} />
      <RefusalDialog of={save} />
      <RemoveDialog connection={connection} open={asks} onClose={() => setAsks(false)} />
    </>
  );
}
