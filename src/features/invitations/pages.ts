import { actions, html, htmlPage, linkButton, timeText } from "../../platform/http/index.ts";
import { actionPage, loginCommand } from "../auth/index.ts";
import { accept } from "./contract.ts";
import type { InvitationLink } from "./service.ts";

const createNextSteps = (publicUrl: string, button: string, email?: string) =>
  html`${actions(linkButton("/", button))}${loginCommand(publicUrl, email)}`;

/** The page explains what to do below, with names, so the title needs only the first sentence. */
const takeFirstSentence = (message: string) => message.replace(/\.(?: .*)?$/, "");

export function invitationPage(publicUrl: string, link: InvitationLink, offersSignUp: boolean): Response {
  if (link.kind === "unknown") {
    return htmlPage({
      publicUrl,
      status: 400,
      state: { kind: "bad", word: link.hasToken ? "Link not valid" : "Link not complete" },
      title: link.hasToken
        ? "This invitation was replaced by a newer one, or its link is not complete"
        : "This link is not complete",
      lead: "Open the newest invitation mail and follow the link in it. If there is no newer mail, ask the person who invited you to send it again.",
      body: actions(linkButton("/", "Open the console")),
    });
  }
  const { invitation, visitor } = link;
  const { organizationName, inviterName, roleName, email, expiresAt } = invitation;
  const facts = [
    ["Organization", organizationName],
    ["Your role", roleName],
    ["Invited by", inviterName],
    ["Invited address", email],
  ] as const;
  if (link.kind === "member") {
    return htmlPage({
      publicUrl,
      state: { kind: "ok", word: "Member" },
      title: `You belong to ${organizationName}`,
      lead: html`You are signed in as <b>${visitor?.email}</b>. There is nothing left to accept.`,
      body: createNextSteps(publicUrl, "Open the console", visitor?.email),
    });
  }
  if (link.kind === "over") {
    return htmlPage({
      publicUrl,
      status: 400,
      state: { kind: "bad", word: "Not open" },
      title: takeFirstSentence(link.message),
      lead:
        invitation.status === "accepted"
          ? "If it was you, you are a member: sign in with the address that was invited."
          : html`Only <b>${inviterName}</b> or an admin of <b>${organizationName}</b> can invite you again.`,
      facts,
      body:
        invitation.status === "accepted"
          ? createNextSteps(publicUrl, "Sign in")
          : actions(linkButton("/", "Open the console")),
    });
  }
  return actionPage({
    publicUrl,
    title: `Join ${organizationName}`,
    lead: html`<b>${inviterName}</b> invites you to the organization <b>${organizationName}</b>.`,
    facts: [...facts, ["Open until", timeText(expiresAt)]],
    visitor,
    signIn: {
      lead: html`Sign in with <b>${email}</b>${offersSignUp && ", or make an account with that address"}.`,
      signUpFor: offersSignUp ? "invited" : "nobody",
    },
    ...(link.kind === "wrong_account" ? { wrongAccount: link.message } : {}),
    action: "Accept the invitation",
    path: accept.path,
    done: {
      state: { kind: "ok", word: "Member" },
      title: `You are a member of ${organizationName} now`,
      lead: html`Your role is <b>${roleName}</b>. It is your active organization now.`,
      // The console opens the active organization, which is this one now.
      body: createNextSteps(publicUrl, `Open ${organizationName}`, visitor?.email),
    },
  });
}
