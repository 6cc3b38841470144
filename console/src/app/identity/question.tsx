import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useServices } from "../../lib/context.tsx";
import type { IdentityQuestion } from "../../lib/identity.ts";
import { onSignInElsewhere } from "../../lib/sign-in-channel.ts";
import { identity as texts } from "../../texts/identity.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/feedback.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { ConfirmForm } from "./confirm-form.tsx";
import { type SessionFacts, useSessionFacts } from "./session-facts.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { SsoWindow } from "./sso-window.tsx";

interface Person {
  id: string;
  email: string;
}

/** What the dialog asks: a whole sign-in for an ended session, a proof for an old one. */
export default function Question({ question }: { question: IdentityQuestion }) {
  const before = usePersonBefore();
  const { finish, other } = useFinish(before);
  const facts = useSessionFacts(question.reason !== "signed_out");
  if (other) return <OtherAccount email={other.email} />;
  if (question.reason === "signed_out" || facts === "signed_out")
    return <SignInAgain email={before?.email ?? ""} finish={finish} />;
  if (facts === undefined) return <Skeleton rows={2} />;
  return <Prove facts={facts} needsSso={question.reason === "sso_required"} finish={finish} />;
}

/** The person who opened the page. */
function usePersonBefore(): Person | undefined {
  const cache = useQueryClient();
  return cache
    .getQueriesData<{ user?: Person }>({ queryKey: ["me"] })
    .find(([, data]) => data?.user !== undefined)?.[1]?.user;
}

/** Ends the question when the same person is signed in. Also when that happened in another window. */
function useFinish(before: Person | undefined) {
  const { api, identity } = useServices();
  const cache = useQueryClient();
  const [other, setOther] = useState<Person>();
  const readPerson = async () => (await api.request("GET /v1/me", {}, { asks: false })).user;
  const isOther = ({ id }: Person) => before !== undefined && before.id !== id;
  const succeed = () => {
    identity.answer(true);
    // What failed while nobody was signed in is read again.
    void cache.refetchQueries({ predicate: ({ state }) => state.status === "error" });
  };
  const finish = async () => {
    const person = await readPerson();
    if (isOther(person)) {
      // Otherwise this page would continue as somebody else.
      await api.request("POST /api/auth/sign-out", {}, { asks: false });
      throw new Error(texts.otherAccount(person.email));
    }
    succeed();
  };
  const finishElsewhere = async () => {
    const person = await readPerson().catch(() => undefined);
    if (person && isOther(person)) setOther(person);
    else if (person) succeed();
  };
  const latest = useRef(finishElsewhere);
  latest.current = finishElsewhere;
  useEffect(() => onSignInElsewhere(() => void latest.current()), []);
  return { finish, other };
}

function SignInAgain({ email, finish }: { email: string; finish(): Promise<void> }) {
  const [sso, setSso] = useState<{ start: string; email: string }>();
  if (sso) return <SsoWindow {...sso} />;
  return (
    <SignInForm
      email={email}
      onSignedIn={finish}
      onSso={(start, address) => setSso({ start, email: address })}
    />
  );
}

interface ProveProps {
  facts: SessionFacts;
  needsSso: boolean;
  finish(): Promise<void>;
}

function Prove({ facts, needsSso, finish }: ProveProps) {
  const [isEnded, setIsEnded] = useState(false);
  if (isEnded) return <SignInAgain email={facts.email} finish={finish} />;
  if (!needsSso && facts.signedInBy !== "sso")
    return <ConfirmForm hasSecondFactor={facts.hasSecondFactor} onEnded={() => setIsEnded(true)} />;
  if (facts.ssoStart === undefined)
    return <FormProblem problem={{ message: texts.ssoUnknown, fields: {}, requestId: undefined }} />;
  return <SsoWindow start={facts.ssoStart} email={facts.email} reauthenticate />;
}

const OtherAccount = ({ email }: { email: string }) => (
  <>
    <p className="note care">{texts.otherWindow(email)}</p>
    <footer className="row dlg-acts">
      <Button look="primary" onClick={() => window.location.reload()}>
        {texts.reload}
      </Button>
    </footer>
  </>
);
