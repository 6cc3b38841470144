import { lazy, Suspense } from "react";
import { useShortcuts } from "../../lib/keyboard.tsx";

const HelpDialog = lazy(() => import("./help-dialog.tsx"));

/** The list of keys, loaded when somebody asks for it. */
export const ShortcutHelp = () =>
  useShortcuts().help.isOpen && (
    <Suspense>
      <HelpDialog />
    </Suspense>
  );
