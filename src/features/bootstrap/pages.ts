import { actions, html, htmlPage, linkButton, timeText } from "../../platform/http/index.ts";
import { actionPage, loginCommand } from "../auth/index.ts";
import { acceptClaim } from "./contract.ts";
import type { ClaimLink } from "./service.ts";

const homeLink = actions(linkButton("/", "Open the console"));

const openLink = ({ name, slug }: { name: string; slug: string }) =>
  actions(linkButton(`/o/${slug}`, `Open ${name}`));

const agentRights = "read the organization, make automations and report their runs, in your name";

const invalidLinkTexts = {
  unknown: [
    "Link not valid",
    "This link was replaced by a newer one or is not complete, or its workspace was deleted",
  ],
  incomplete: ["Link not complete", "This link is not complete"],
  expired: ["Link expired", "This link is older than 24 hours"],
} as const;

export function claimPage(publicUrl: string, link: ClaimLink, offersSignUp: boolean): Response {
  if (link.kind === "unknown" || link.kind === "incomplete" || link.kind === "expired") {
    const [word, title] = invalidLinkTexts[link.kind];
    return htmlPage({
      publicUrl,
      status: 400,
      state: { kind: "bad", word },
      title,
      lead:
        link.kind === "expired"
          ? html`The workspace <b>${link.organization.name}</b> still waits for an owner. Ask the agent that gave you the link for a new one.`
          : "Ask the agent that gave you the link for a new one. A workspace that nobody claims is removed after 7 days.",
      body: html`<div class="stack"><p>With its key, the agent makes a new link with:</p><pre>curl -X POST -H "x-api-key: $KEY" \\
  ${publicUrl}/v1/bootstrap/claims</pre></div>${homeLink}`,
    });
  }
  const { organization, visitor } = link;
  if (link.kind === "claimed") {
    return link.isOwn
      ? htmlPage({
          publicUrl,
          state: { kind: "ok", word: "Yours" },
          title: `You belong to ${organization.name}`,
          lead: html`You are signed in as <b>${visitor?.email}</b>. There is nothing left to claim.`,
          body: html`${openLink(organization)}${loginCommand(publicUrl, visitor?.email)}`,
        })
      : htmlPage({
          publicUrl,
          status: 400,
          state: { kind: "bad", word: "Taken" },
          title: "Somebody owns this workspace already",
          lead: "If it was you, sign in with the account that you claimed it with. Otherwise ask the agent who did.",
          body: html`${actions(linkButton("/sign-in", "Sign in"))}${loginCommand(publicUrl)}`,
        });
  }
  return actionPage({
    publicUrl,
    title: `Claim ${organization.name}`,
    lead: "An agent created this workspace and gave you the link. The person who claims it becomes the owner of everything in it.",
    facts: [
      ["Workspace", organization.name],
      ["Made", timeText(organization.createdAt)],
      ["Link good until", timeText(link.expiresAt)],
    ],
    visitor,
    body:
      !visitor &&
      html`<p>The agent's key ends when you say so in the next step. Otherwise the agent can go on to ${agentRights}.</p>`,
    signIn: {
      lead: `Sign in${offersSignUp ? ", or make an account," : ""} to become its owner.`,
      signUpFor: offersSignUp ? "anybody" : "nobody",
    },
    option: {
      field: "endKey",
      label: `End the agent's key. Otherwise the agent can go on to ${agentRights}.`,
    },
    action: "Become the owner",
    path: acceptClaim.path,
    done: {
      state: { kind: "ok", word: "Yours" },
      title: `${organization.name} is yours now`,
      lead: "You are its owner. Its automations and runs are where the agent left them.",
      body: html`${openLink(organization)}${loginCommand(publicUrl, visitor?.email)}`,
    },
  });
}
