import { useState } from "react";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { useAction } from "../../lib/queries.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";

const texts = settings.leave;

export function LeaveOrDelete() {
  const { name, slug } = useOrganization();
  const mayDelete = usePermission("organization:delete");
  const leave = useAction("POST /v1/organization/leave");
  const remove = useAction("DELETE /v1/organization");
  const [open, setOpen] = useState<"leave" | "delete">();
  // A full load: nothing of the organization stays in memory.
  const goHome = () => window.location.assign("/");
  return (
    <div className="parts">
      <Card title={texts.leaveTitle} padded>
        <p>{texts.leaveText}</p>
        <div>
          <Button onClick={() => setOpen("leave")}>{texts.leave}</Button>
        </div>
      </Card>
      {mayDelete && (
        <Card title={texts.deleteTitle} padded>
          <p>{texts.deleteText}</p>
          <div>
            <Button look="destructive" onClick={() => setOpen("delete")}>
              {texts.delete}
            </Button>
          </div>
        </Card>
      )}
      <ConfirmDialog
        open={open === "leave"}
        onClose={() => setOpen(undefined)}
        title={texts.leaveConfirm(name)}
        text={texts.leaveText}
        action={texts.leave}
        onConfirm={async () => {
          await leave.run({});
          goHome();
        }}
      />
      <ConfirmDialog
        open={open === "delete"}
        onClose={() => setOpen(undefined)}
        title={texts.deleteConfirm(name)}
        text={texts.deleteText}
        action={texts.delete}
        typeName={slug}
        onConfirm={async () => {
          await remove.run({ body: { confirm: slug } });
          goHome();
        }}
      />
    </div>
  );
}
