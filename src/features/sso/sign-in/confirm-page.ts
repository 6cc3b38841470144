import { actions, html, htmlPage, linkButton } from "../../../platform/http/index.ts";
import type { ConfirmPage } from "./confirm.ts";
import { expiredPage } from "./pages.ts";

const script = `
onSubmit($("question"), async (button) => {
  const reply = await send("/v1/sso/confirm", { token: linkToken(), answer: button.value });
  if (reply.status === 404) return openAgain();
  if (!reply.ok) return showProblem($("question"), reply);
  if (button.value === "cancel") return finish("cancelled");
  location.replace(reply.body.location);
});
`;

/** Asks before a sign-in that this browser did not start, or that replaces the session of somebody else. */
export function confirmPage(publicUrl: string, page: ConfirmPage | undefined): Response {
  if (!page) return expiredPage(publicUrl, "Nobody was signed in.");
  const { person, organization, connector, visitor, isStartedElsewhere } = page;
  const replaced = visitor && visitor.email !== person.email ? visitor : undefined;
  const lead = isStartedElsewhere
    ? html`The identity provider or another site started this sign-in to <b>${organization}</b>. Continue only if you want to sign in now.`
    : html`Somebody else is signed in in this browser. Continue only if you want to sign in to <b>${organization}</b> now.`;
  return htmlPage({
    publicUrl,
    state: { kind: "care", word: "Not signed in yet" },
    title: `Sign in as ${person.name}?`,
    lead,
    facts: [
      ["Sign in as", html`${person.name}<br>${person.email}`],
      ["Organization", organization],
      ["Connector", connector],
      ["Signed in now", visitor ? visitor.email : "nobody"],
    ],
    body: html`<form id="question">${
      replaced && html`<p class="aside">Signing in signs <b>${replaced.email}</b> out in this browser.</p>`
    }${actions(
      html`<button class="btn main" value="sign_in">Sign in as ${person.name}</button>`,
      html`<button class="btn" value="cancel">Cancel</button>`,
    )}</form>`,
    ends: {
      cancelled: {
        state: { kind: "ok", word: "Nothing changed" },
        title: "The sign-in is cancelled",
        lead: visitor
          ? html`You are still signed in as <b>${visitor.email}</b>.`
          : "Nobody is signed in in this browser.",
        body: actions(linkButton("/", "Open the console")),
      },
    },
    script,
  });
}
