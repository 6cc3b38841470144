import { useBlocker } from "@tanstack/react-router";
import { automations } from "../../../texts/automations.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";

const texts = automations.edit;

/** Asks before somebody leaves unsaved changes, also when they close the tab. */
export function LeaveGuard({ shouldAsk }: { shouldAsk(): boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && shouldAsk(),
    enableBeforeUnload: shouldAsk,
    withResolver: true,
  });
  return (
    <Dialog
      open={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={texts.leaveTitle}
      lead={texts.leaveText}
    >
      <footer className="row dlg-acts">
        <Button onClick={() => blocker.reset?.()}>{texts.stay}</Button>
        <Button look="primary" onClick={() => blocker.proceed?.()}>
          {texts.leave}
        </Button>
      </footer>
    </Dialog>
  );
}
