import { CircleStop, CircleX } from "lucide-react";
import { common } from "../../texts/common.ts";
import { discover as texts } from "../../texts/discover.ts";
import { useTitle } from "../../ui/page.tsx";
import { EvidenceCard } from "./evidence.tsx";
import type { Step } from "./types.ts";
import type { Attempt } from "./use-discovery.ts";
import { AskingIcon, NeededBones, VerdictHead } from "./verdict-view.tsx";
import { describeProgress, findHost } from "./verdict-words.ts";

/** A discovery that is under way, was stopped, or could not be finished. */
export function AskingView({ attempt }: { attempt: Attempt }) {
  const { url, steps, state } = attempt;
  const title =
    state === "asking"
      ? texts.asking.title(findHost(url))
      : state === "stopped"
        ? texts.stopped.title
        : texts.failed.title;
  useTitle(title);
  return (
    <>
      {state === "asking" ? (
        <VerdictHead
          tone="wait"
          icon={<AskingIcon />}
          title={title}
          text={describeProgress(steps)}
          facts={listKnown(steps)}
        />
      ) : state === "stopped" ? (
        <VerdictHead
          tone="none"
          icon={<CircleStop className="i l" aria-hidden />}
          title={title}
          text={texts.stopped.text}
        />
      ) : (
        <VerdictHead
          tone="bad"
          icon={<CircleX className="i l" aria-hidden />}
          title={title}
          text={
            attempt.problem.requestId
              ? `${attempt.problem.message} ${common.error.request} ${attempt.problem.requestId}`
              : attempt.problem.message
          }
        />
      )}
      <div className="cols disc">
        <div className="stack">{state === "asking" && <NeededBones />}</div>
        <div className="stack">
          <EvidenceCard
            url={url}
            steps={steps}
            {...(state === "asking" ? { begunAt: attempt.begunAt } : {})}
          />
        </div>
      </div>
    </>
  );
}

const bone = (
  <>
    <i className="bone" aria-hidden />
    <span className="vh">{texts.asking.notKnown}</span>
  </>
);

/** The facts that are known already. The places of the others are kept, so that nothing jumps. */
function listKnown(steps: readonly Step[]) {
  const wantsSignIn = steps.some(({ step, status }) => step.startsWith("probe") && status === 401);
  const isOauth = steps.some(
    ({ step, decided }) => step === "server_metadata" || decided?.includes("authentication.kind"),
  );
  const listed = steps.find(({ step, status }) => step === "list_tools" && status === 200);
  const { facts } = texts;
  return [
    [facts.signIn, wantsSignIn && isOauth ? facts.kinds.oauth : bone],
    [facts.protocol, bone],
    [facts.tools, listed ? facts.toolsOpen(undefined) : wantsSignIn ? facts.toolsAfter : bone],
  ] as const;
}
