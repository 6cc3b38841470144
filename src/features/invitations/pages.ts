import { actions, html, htmlPage, linkButton, timeText } from "../../platform/http/index.ts";
import { commandLine, errandPage } from "../auth/index.ts";
import { accept } from "./contract.ts";
import type { Opened } from "./service.ts";

const onward = (publicUrl: string, email?: string) =>
  html`${commandLine(publicUrl, email)}${actions(linkButton("/", "Go to the first page"))}`;

/** The page explains what to do below, with names, so the title needs only the first sentence. */
const firstSentence = (message: string) => message.replace(/\.(?: .*)?$/, "");

export function invitationPage(publicUrl: string, opened: Opened, offersSignUp: boolean): Response {
  if (opened.kind === "unknown") {
    return htmlPage({
      publicUrl,
      status: 400,
      state: { kind: "bad", word: opened.hasToken ? "Link not valid" : "Link not complete" },
      title: opened.hasToken
        ? "This invitation was replaced by a newer one, or its link was not copied whole"
        : "This link is not complete",
      lead: "Open the newest invitation mail and follow the link in it. If there is none, ask whoever invited you to send it again.",
      body: actions(linkButton("/", "Go to the first page")),
    });
  }
  const { invitation, visitor } = opened;
  const { organizationName, inviterName, roleName, email, expiresAt } = invitation;
  const facts = [
    ["Organization", organizationName],
    ["Your role", roleName],
    ["Invited by", inviterName],
    ["Invited address", email],
  ] as const;
  if (opened.kind === "member") {
    return htmlPage({
      publicUrl,
      state: { kind: "ok", word: "Member" },
      title: `You belong to ${organizationName}`,
      lead: html`You are signed in as <b>${visitor?.email}</b>. There is nothing left to accept.`,
      body: onward(publicUrl, visitor?.email),
    });
  }
  if (opened.kind === "over") {
    return htmlPage({
      publicUrl,
      status: 400,
      state: { kind: "bad", word: "Not open" },
      title: firstSentence(opened.message),
      lead:
        invitation.status === "accepted"
          ? "If it was you, you are a member: sign in with the address that was invited."
          : html`Only <b>${inviterName}</b> or an admin of <b>${organizationName}</b> can invite you again.`,
      facts,
      body:
        invitation.status === "accepted"
          ? onward(publicUrl)
          : actions(linkButton("/", "Go to the first page")),
    });
  }
  return errandPage({
    publicUrl,
    title: `Join ${organizationName}`,
    lead: html`<b>${inviterName}</b> invites you to the organization <b>${organizationName}</b>.`,
    facts: [...facts, ["Open until", timeText(expiresAt)]],
    visitor,
    signIn: {
      lead: html`Sign in with <b>${email}</b>${offersSignUp && ", or make an account with that address"}.`,
      newcomers: offersSignUp ? "invited" : "nobody",
    },
    ...(opened.kind === "wrong_account" ? { wrongAccount: opened.message } : {}),
    action: "Accept the invitation",
    path: accept.path,
    done: {
      state: { kind: "ok", word: "Member" },
      title: `You are a member of ${organizationName} now`,
      lead: html`Your role is <b>${roleName}</b>. It is your active organization now.`,
      body: onward(publicUrl, visitor?.email),
    },
  });
}
