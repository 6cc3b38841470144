import { Suspense } from "react";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";

const HelpDialog = lazyPart(() => import("./help-dialog.tsx"));

/** The list of keys. */
export const ShortcutHelp = () =>
  useShortcuts().help.isOpen && (
    <Suspense>
      <HelpDialog />
    </Suspense>
  );
