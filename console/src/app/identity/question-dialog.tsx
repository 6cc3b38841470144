import { useServices } from "../../lib/context.tsx";
import type { IdentityQuestion } from "../../lib/identity.ts";
import { identity as texts } from "../../texts/identity.ts";
import { Dialog } from "../../ui/dialog.tsx";
import Question from "./question.tsx";

const leads = {
  signed_out: texts.signedOut,
  session_too_old: texts.tooOld,
  sso_required: texts.ssoRequired,
};

export default function QuestionDialog({ question }: { question: IdentityQuestion }) {
  const { identity } = useServices();
  return (
    <Dialog
      open
      onClose={() => identity.answer(false)}
      title={question.reason === "signed_out" ? texts.signInTitle : texts.title}
      lead={leads[question.reason]}
    >
      <Question question={question} />
    </Dialog>
  );
}
