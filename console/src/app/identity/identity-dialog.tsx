import { Suspense, useSyncExternalStore } from "react";
import { useServices } from "../../lib/context.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";
import { identity as texts } from "../../texts/identity.ts";
import { Button } from "../../ui/button.tsx";

const QuestionDialog = lazyPart(() => import("./question-dialog.tsx"));

/** Asks in place who the person is, when a session has ended or is too old. The page behind it stays as it is. */
export function IdentityDialog() {
  const { identity } = useServices();
  const question = useSyncExternalStore(identity.subscribe, identity.current);
  const isSignedOut = useSyncExternalStore(identity.subscribe, identity.isSignedOut);
  if (question)
    return (
      <Suspense>
        <QuestionDialog question={question} />
      </Suspense>
    );
  if (isSignedOut)
    return (
      <div className="signed-out" role="status">
        <span className="grow">{texts.banner}</span>
        <Button size="s" look="primary" onClick={() => void identity.ask("signed_out")}>
          {texts.bannerAction}
        </Button>
      </div>
    );
  return null;
}
