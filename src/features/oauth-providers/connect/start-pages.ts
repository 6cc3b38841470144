import type { Ctx, UserId } from "../../../platform/context.ts";
import type { Refusal } from "../../../platform/errors.ts";
import {
  actions,
  html,
  htmlPage,
  linkButton,
  type RefusalPage,
  renderRefusalPage,
} from "../../../platform/http/index.ts";
import { findUser, signInPage } from "../../auth/index.ts";
import { findOrganization, listOrganizations } from "../../organizations/index.ts";
import { knownProviders } from "../catalogue/index.ts";
import { toProviderId } from "../internal.ts";
import type { Confirmation } from "./service.ts";
import { findCustomName } from "./store.ts";

/** Asks before anything is started, because another site or a mail may have led the browser here. */
export const confirmationPage = (publicUrl: string, question: Confirmation): Response =>
  htmlPage({
    publicUrl,
    title: `Connect ${question.provider}?`,
    lead: question.shared
      ? html`This connects an account for all of <b>${question.organization}</b>: everybody with access to it can use it. Continue only if you want that.`
      : html`This connects an account of yours, and your agents can use it for you. Continue only if you want that.`,
    facts: [
      ["Provider", question.provider],
      [
        "For",
        question.shared ? `all of ${question.organization}` : `${question.member}, ${question.organization}`,
      ],
      question.account === "default" ? undefined : ["Label", question.account],
      question.scopes.length > 0 ? ["Allows", html`<code>${question.scopes.join(" ")}</code>`] : undefined,
    ],
    body: html`<p class="aside">Nothing is started yet. To stop here, close this page.</p>
${actions(linkButton(question.continueAt, `Continue to ${question.provider}`), linkButton("/", "Open the console", "other"))}`,
  });

const chooseScript = `
for (const form of document.querySelectorAll("form[data-organization]")) onSubmit(form, async () => {
  const reply = await send("/v1/me/active-organization", { organizationId: form.dataset.organization });
  if (reply.ok || reply.status === 401) return openAgain();
  showProblem(form, reply);
});
`;

/** The page for a refused start. It shows the account, the organization, and what to do next. */
export const refuseStart: RefusalPage = async (ctx, refusal, { path, search, params }) => {
  const { publicUrl } = ctx.config;
  const provider = await findName(ctx, params.providerId ?? toProviderId(params.id ?? ""));
  if (needsSignIn(refusal)) {
    return signInPage({
      publicUrl,
      status: refusal.status,
      headers: refusal.headers,
      title: `Sign in to connect ${provider ?? "an account"}`,
      lead:
        refusal.status === 401
          ? "This browser is not signed in. After you sign in, this continues automatically."
          : html`${refusal.message} After that, this continues automatically.`,
      signIn: { lead: "Sign in with an account that belongs to the organization.", suffix: "and continue" },
    });
  }
  const facts = await listAccountFacts(ctx);
  if (refusal.body.reason === "no_active_organization" && ctx.caller?.userId) {
    return chooseOrganization(ctx, refusal, { provider, facts, userId: ctx.caller.userId });
  }
  return renderRefusalPage(
    refusal,
    { publicUrl, requestId: ctx.requestId, target: search ? `${path}?${search}` : path },
    {
      ...(refusal.status < 500
        ? {
            state: { kind: "bad", word: "Not started" },
            title: provider ? `${provider} cannot be connected` : "Nothing can be connected at this address",
          }
        : {}),
      facts,
    },
  );
};

/** With `sso_required` a password does not help; that refusal is shown as it is. */
const needsSignIn = ({ status, body }: Refusal) =>
  status === 401 || (body.error === "reauth" && body.reason === "session_too_old");

/** The name of an organization's own provider is shown to its members only. */
const findName = async ({ db, caller }: Ctx, providerId: string): Promise<string | undefined> =>
  knownProviders.get(providerId)?.name ??
  (caller?.member && (await findCustomName(db, caller.member.orgId, providerId)));

async function listAccountFacts({ db, caller }: Ctx): Promise<(readonly [string, string])[]> {
  const [user, organization] = [
    caller?.userId && (await findUser(db, caller.userId)),
    caller?.member && (await findOrganization(db, caller.member.orgId)),
  ];
  return [
    ...(user ? [["Signed in as", user.email] as const] : []),
    ...(organization ? [["Organization", organization.name] as const] : []),
  ];
}

interface OrganizationChoice {
  provider: string | undefined;
  facts: (readonly [string, string])[];
  userId: UserId;
}

/** Programs choose the organization with a header or a request. A browser gets a page with a choice. */
async function chooseOrganization(
  { db, config: { publicUrl } }: Ctx,
  { status }: Refusal,
  { provider, facts, userId }: OrganizationChoice,
): Promise<Response> {
  const organizations = await listOrganizations(db, userId, null, "~", 50);
  if (organizations.length === 0) {
    return htmlPage({
      publicUrl,
      status,
      state: { kind: "bad", word: "Not started" },
      title: "You do not belong to an organization yet",
      lead: "Accounts are connected inside an organization. Ask to be invited to one, or create one with POST /v1/organizations.",
      facts,
      body: actions(linkButton("/", "Open the console")),
    });
  }
  return htmlPage({
    publicUrl,
    status,
    title: `For which organization do you connect ${provider ?? "an account"}?`,
    lead: "Your session has no active organization. Choose one to continue.",
    facts,
    body: html`<div class="stack">${organizations.map(
      ({ id, name }) =>
        html`<form data-organization="${id}">${actions(html`<button class="btn">${name}</button>`)}</form>`,
    )}</div>`,
    script: chooseScript,
  });
}
