import { actions, html, htmlPage, linkButton, type View } from "../../../platform/http/index.ts";
import { signInForms, signInScript } from "../../auth/index.ts";
import { buildConnectPath } from "../internal.ts";
import type { CallbackResult } from "./callback.ts";
import type { Attempt } from "./store.ts";

/** What went wrong, in plain words. `{}` is the provider. */
const reasons: Record<string, string> = {
  access_denied: "Access was not allowed at {}. Nothing is connected.",
  superseded:
    "This attempt is no longer valid: somebody started again, disconnected, changed the OAuth client, or ended the session or API key that started it.",
  secret_changed: "The secret of this instance was changed since you started. Nothing is connected.",
  other_person:
    "This was started by somebody else. Nothing is connected, and nothing was taken from your account. Only the person who starts it can finish it.",
  not_allowed: "Connecting {} for the whole organization is for its admins. Nothing is connected.",
  provider_mismatch: "The answer came back to another provider's address. Nothing is connected.",
  issuer_mismatch: "The answer does not come from {}. Nothing is connected.",
  invalid_scope:
    "{} does not know one of the scopes that were asked for. An admin can change them in the OAuth client.",
  invalid_client:
    "{} does not accept the organization's OAuth client. An admin should check its id and secret.",
  unauthorized_client:
    "{} does not let the organization's OAuth client do this. An admin should check how it is registered.",
  invalid_grant: "{} says that its own answer is too old or was used before.",
  login_required: "{} asks to sign in there first.",
  consent_required: "{} asks for your consent first.",
  interaction_required: "{} asks for something to be done there first.",
  server_error: "{} reports a fault of its own.",
  temporarily_unavailable: "{} is busy at the moment.",
  timeout: "{} did not answer in time.",
};

const createReturnLink = (returnTo: string | null, kind: "main" | "other" = "main") =>
  linkButton(returnTo ?? "/", returnTo ? "Go back" : "Open the console", kind);

const claimScript = `
async function claim() {
  const { claim: path, code, organization, provider } = $("held").dataset;
  const reply = await send(path, { code }, { headers: { "x-organization-id": organization } });
  if (reply.ok) return finish("connected", { provider });
  if (reply.status === 404) return finish("late");
  tell(reply.status === 403 && reply.body.reason === "no_active_organization"
    ? "This account does not belong to the organization that this is for." : readMessage(reply));
}
`;

const describeConnected = (provider: string, account: string | null, attempt: Attempt): View => ({
  state: { kind: "ok", word: "Connected" },
  title: `${provider} is connected.`,
  lead: attempt.shared
    ? html`<b>${attempt.orgName}</b> and everybody to whom it gives access can use it now. You can close this page.`
    : "Your agents can use it for you now. You can close this page.",
  facts: listFacts(provider, account, attempt),
  body: actions(createReturnLink(attempt.returnTo)),
});

const listFacts = (
  provider: string,
  account: string | null,
  attempt: Attempt,
): NonNullable<View["facts"]> => [
  ["Provider", provider],
  account ? ["Account there", account] : undefined,
  ["For", attempt.shared ? `all of ${attempt.orgName}` : `${attempt.memberName}, ${attempt.orgName}`],
  attempt.label === "default" ? undefined : ["Label", attempt.label],
];

const describeExpired = (provider: string, attempt: Attempt): View => ({
  state: { kind: "bad", word: "Not connected" },
  title: `${provider} is not connected.`,
  lead: html`This attempt has expired, was started again, or was started by somebody else. Nothing is connected, and the access that ${provider} gave is discarded.`,
  facts: listFacts(provider, null, attempt),
  body: html`<p>If it was you who started, start again where you started.</p>${actions(createReturnLink(attempt.returnTo))}`,
});

export function callbackPage(publicUrl: string, result: CallbackResult): Response {
  if (result.kind === "unknown" || result.kind === "used") return unknownPage(publicUrl, result);
  const { attempt, provider } = result;
  const path = buildConnectPath(attempt.providerId);
  if (result.kind === "connected")
    return htmlPage({ publicUrl, ...describeConnected(provider, result.account, attempt) });
  if (result.kind === "refused") return refusedPage(publicUrl, result, path);
  const { account } = result;
  const claimData = html`<div id="held" data-organization="${attempt.orgId}" data-claim="${path}/claim" data-code="${result.code}" data-provider="${provider}" hidden></div>`;
  // The script fills in the name, so that the page does not contain "… is connected" before it is true.
  const title = html`<span data-field="provider"></span> is connected.`;
  const ends = {
    connected: { ...describeConnected(provider, account, attempt), title },
    late: describeExpired(provider, attempt),
  };
  const facts = listFacts(provider, account, attempt);
  const as = account ? ` as ${account}` : "";
  const ifNot = html`nothing is connected, and the access that ${provider} gave is discarded after ten minutes.`;
  if (result.kind === "unconfirmed") {
    const whose = attempt.shared
      ? `for everybody to whom ${attempt.orgName} gives access`
      : `for ${attempt.memberName} of ${attempt.orgName}`;
    return htmlPage({
      publicUrl,
      title: `Connect ${provider}${as}?`,
      lead: html`${attempt.credential === "key" ? "An API key" : "Another session"} of yours started this. If you continue, the account is connected ${whose}, and programs with that access can use it.`,
      facts,
      body: html`${claimData}<p><strong>If you did not start it, close this page</strong>: ${ifNot}</p>
<form id="confirm">${actions(html`<button class="btn main">Connect</button>`, createReturnLink(attempt.returnTo, "other"))}</form>`,
      ends,
      script: `${claimScript}onSubmit($("confirm"), claim);`,
    });
  }
  return htmlPage({
    publicUrl,
    title: `One more step to connect ${provider}${as}`,
    lead: html`<b>${attempt.memberName}</b> of <b>${attempt.orgName}</b> started this. To finish it, show that it was you.`,
    facts,
    body: html`${claimData}<p><strong>If that is not you, close this page</strong>: ${ifNot}</p>
<div class="stack"><h2>Enter this code where you started</h2><pre class="code">${result.code}</pre></div><hr>
<div class="stack"><h2>Or sign in here</h2>${signInForms({ lead: html`As ${attempt.memberName}, who started.`, suffix: "and connect", offersSso: false })}</div>`,
    ends,
    script: `${signInScript}${claimScript}const signedIn = claim;`,
  });
}

function unknownPage(
  publicUrl: string,
  result: Extract<CallbackResult, { kind: "unknown" | "used" }>,
): Response {
  const isConnected = result.kind === "used" && result.isConnected;
  return htmlPage({
    publicUrl,
    status: 400,
    state: { kind: isConnected ? "care" : "bad", word: isConnected ? "Used before" : "Link not valid" },
    title:
      result.kind === "used"
        ? "This link was used before."
        : "This link is too old, was used before, or is not from this instance.",
    lead: isConnected
      ? html`It connected <b>${result.provider}</b>. Opening it again changed nothing.`
      : "Opening it changed nothing. To connect an account, start again where you started.",
    ...(isConnected ? { facts: listFacts(result.provider, result.attempt.accountName, result.attempt) } : {}),
    body: actions(createReturnLink(isConnected ? result.attempt.returnTo : null)),
  });
}

function refusedPage(
  publicUrl: string,
  { attempt, provider, code, isStarter, canStartAgain }: Extract<CallbackResult, { kind: "refused" }>,
  path: string,
): Response {
  // The provider chooses the code, which may be the name of an inherited property.
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const why = (reason ?? "{} refused, or gave an answer that cannot be used.").replaceAll(
    "{}",
    () => provider,
  );
  // A visitor who did not start the attempt does not see what it was for or where it returns to.
  const returnTo = isStarter ? attempt.returnTo : null;
  return htmlPage({
    publicUrl,
    status: 400,
    state: { kind: "bad", word: "Not connected" },
    title: `${provider} is not connected.`,
    lead: why,
    facts: [
      ...(isStarter ? listFacts(provider, null, attempt) : ([["Provider", provider]] as const)),
      ["Code", html`<code>${code}</code>`],
    ],
    body: canStartAgain
      ? actions(linkButton(buildStartUrl(path, attempt), "Try again"), createReturnLink(returnTo, "other"))
      : html`${code !== "other_person" && html`<p>If it was you who started, start again where you started.</p>`}${actions(createReturnLink(returnTo))}`,
  });
}

/** The URL that starts the same attempt again. A browser that opens it is asked for confirmation first. */
function buildStartUrl(path: string, { label, scopes, shared, returnTo }: Attempt): string {
  const query = new URLSearchParams({
    account: label,
    scopes: scopes.join(" "),
    ...(shared ? { shared: "true" } : {}),
    ...(returnTo ? { returnTo } : {}),
  });
  return `${path}/start?${query}`;
}
