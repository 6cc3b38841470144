import { actions, html, htmlPage, linkButton, timeText } from "../../../platform/http/index.ts";
import { sendVerificationEmail } from "../contract.ts";
import { actionPage } from "../sign-in-page.ts";
import type { VerificationLink } from "./service.ts";

// Each form names the route that it calls and the view that it shows afterwards.
const script = `
for (const form of document.querySelectorAll("form[data-path]")) onSubmit(form, async () => {
  const reply = await send(form.dataset.path, { token: linkToken() });
  if (reply.ok) return finish(form.dataset.end);
  if (reply.status === 400 || reply.status === 403) return openAgain();
  showProblem(form, reply);
});
`;

const homeLink = actions(linkButton("/", "Open the console"));

const createConfirmedView = (email: string) => ({
  state: { kind: "ok" as const, word: "Confirmed" },
  title: "Your e-mail address is confirmed",
  lead: html`<b>${email}</b> belongs to your account. You can close this page, or go on.`,
  body: homeLink,
});

export function verificationPage(publicUrl: string, link: VerificationLink): Response {
  if (link.kind === "invalid") return invalidLinkPage(publicUrl, link);
  if (link.kind === "verified") return htmlPage({ publicUrl, ...createConfirmedView(link.user.email) });
  const { email, createdAt } = link.user;
  return htmlPage({
    publicUrl,
    title: "Did you make this account?",
    lead: "Somebody signed up here with this address.",
    facts: [
      ["Address", email],
      ["Signed up", timeText(createdAt)],
    ],
    body: html`<div class="actions"><form data-path="/api/auth/verify-email" data-end="confirmed"><button class="btn main">Yes, confirm my address</button></form>
<form data-path="/api/auth/disown-account" data-end="disowned"><button class="btn danger">No, somebody else did</button></form></div>
<p class="aside">If you did not make it, its password, sessions and keys end. Nothing of yours is lost.</p>`,
    ends: {
      confirmed: createConfirmedView(email),
      disowned: {
        state: { kind: "ok", word: "Closed" },
        title: "The person who made the account can no longer use it",
        lead: html`Its password, sessions and keys have ended. The account with <b>${email}</b> stays: choose a password to use it yourself, or leave it.`,
        body: actions(
          linkButton("/reset-password", "Choose a password"),
          linkButton("/", "Leave it", "other"),
        ),
      },
    },
    script,
  });
}

/** Only a signed-in person can request a new mail. Otherwise anybody could have mails sent to strangers. */
function invalidLinkPage(
  publicUrl: string,
  { hasToken, visitor }: Extract<VerificationLink, { kind: "invalid" }>,
): Response {
  const why = hasToken
    ? { word: "Link not valid", title: "This link is too old or not complete" }
    : { word: "Link not complete", title: "This link is not complete" };
  const state = { kind: "bad" as const, word: why.word };
  if (visitor?.emailVerified) {
    return htmlPage({
      publicUrl,
      status: 400,
      state,
      title: why.title,
      lead: html`There is nothing to do: the address of your account, <b>${visitor.email}</b>, is confirmed.`,
      body: homeLink,
    });
  }
  return actionPage({
    publicUrl,
    status: 400,
    state,
    title: why.title,
    lead: "No address was confirmed. A link is good for 24 hours; a new one comes by mail.",
    visitor,
    signIn: { lead: "Sign in to have a new link sent to you." },
    action: "Send me a new link",
    path: sendVerificationEmail.path,
    sendsToken: false,
    done: {
      state: { kind: "ok", word: "Sent" },
      title: "Check your mailbox",
      lead: html`A mail with a new link is on its way to <b>${visitor?.email ?? "your address"}</b>. Open it within 24 hours.`,
      body: homeLink,
    },
  });
}
