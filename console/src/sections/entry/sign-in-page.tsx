import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { SignInForm } from "../../app/identity/sign-in-form.tsx";
import { useFilters } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { readReturnPath } from "../../lib/return-path.ts";
import { useMe } from "../../lib/session.ts";
import { createSsoAddress } from "../../lib/sign-in.ts";
import { announceSignIn } from "../../lib/sign-in-channel.ts";
import { entry } from "../../texts/entry.ts";
import { Skeleton } from "../../ui/feedback.tsx";
import { EntryFrame, EntryHead } from "./frame.tsx";

const texts = entry.signIn;

export default function SignInPage() {
  const { filters } = useFilters();
  const me = useMe();
  const returnTo = readReturnPath(filters.returnTo, window.location.origin);
  const isDone = filters.done !== undefined && me.data !== undefined;
  const leaves = me.data !== undefined && !isDone;
  useEffect(() => {
    // A full load: nothing of an earlier session stays in memory, and pages outside the console work too.
    if (leaves) window.location.replace(returnTo);
  }, [leaves, returnTo]);
  if (me.isPending || leaves) return <Skeleton />;
  return (
    <EntryFrame name={isDone ? texts.done.title : texts.name}>
      {isDone ? <Done /> : <SignIn returnTo={returnTo} />}
    </EntryFrame>
  );
}

function SignIn({ returnTo }: { returnTo: string }) {
  const instance = useRead("GET /v1/instance", {});
  const finish = async () => {
    announceSignIn();
    window.location.assign(returnTo);
  };
  const signUp = instance.data?.signUp;
  return (
    <SignInForm
      onSignedIn={finish}
      onSso={(start, email) => window.location.assign(createSsoAddress(start, { email, returnTo }))}
      head={(isSecond) =>
        isSecond ? (
          <EntryHead title={texts.second.title} lead={texts.second.lead} />
        ) : (
          <>
            <EntryHead title={texts.title} lead={texts.lead} />
            {instance.data?.isDemo && <p className="note">{texts.demo}</p>}
          </>
        )
      }
      foot={
        <div className="entry-links">
          <p>
            <a className="link" href="/reset-password">
              {texts.forgot}
            </a>
          </p>
          {signUp === "open" && (
            <p>
              {texts.noAccount}{" "}
              <Link className="link" to="/sign-up" search={returnTo === "/" ? {} : ({ returnTo } as never)}>
                {texts.create}
              </Link>
            </p>
          )}
          {signUp === "invited" && <p>{texts.invited}</p>}
        </div>
      }
    />
  );
}

/** The end of a sign-in in a window that another window opened. */
function Done() {
  useEffect(announceSignIn, []);
  return (
    <div className="form">
      <EntryHead title={texts.done.title} lead={texts.done.text} />
      <p>
        <a className="link" href="/">
          {texts.done.open}
        </a>
      </p>
    </div>
  );
}
