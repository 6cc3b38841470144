import { escapeHtml, htmlPage } from "../../../platform/http/index.ts";
import type { Arrival } from "./callback.ts";

/** What went wrong, in plain words. `{}` is the provider. */
const reasons: Record<string, string> = {
  access_denied: "Access was not allowed at {}. Nothing is connected.",
  superseded:
    "This attempt was overtaken: somebody started again, disconnected, or changed the OAuth client meanwhile.",
  other_person:
    "This was started by somebody else. Nothing is connected, and nothing was taken from your account. Only who starts it can finish it.",
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

const link = (returnTo: string | null) =>
  `<p><a href="${escapeHtml(returnTo ?? "/")}">${returnTo ? "Go back" : "Go to the first page"}</a></p>`;

/** Reads what to do from the page's own attributes; nothing from outside becomes part of it. */
const script = `
const say = document.querySelector("[role=status]");
const send = (path, body) => fetch(path, { method: "POST", headers: { "content-type": "application/json", ...organization },
  body: JSON.stringify(body) });
const organization = { "x-organization-id": document.querySelector("[data-organization]").dataset.organization };
document.querySelector("button[data-start]")?.addEventListener("click", async ({ currentTarget }) => {
  say.textContent = "…";
  const reply = await fetch(currentTarget.dataset.start, { headers: organization });
  const body = await reply.json().catch(() => ({}));
  if (reply.ok) { location.href = body.authorizeUrl; return; }
  say.textContent = reply.status === 401 ? "Sign in first, then start again where you started."
    : body.message ?? body.details?.[0]?.message ?? "That did not work.";
});
document.querySelector("form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  say.textContent = "…";
  let signedIn = await send("/api/auth/sign-in/email", { email: form.email.value, password: form.password.value });
  if (signedIn.status === 202) {
    const second = document.getElementById("second");
    if (second.hidden) {
      second.hidden = false;
      form.code.required = true;
      say.textContent = "";
      form.code.focus();
      return;
    }
    const { twoFactorToken } = await signedIn.json();
    signedIn = await send("/api/auth/sign-in/two-factor", { twoFactorToken, code: form.code.value });
    if (signedIn.status === 401) { say.textContent = "This code is not right, or was used before."; return; }
  }
  if (!signedIn.ok) { say.textContent = signedIn.status === 401 ? "No such account, or another password." : "That did not work. Try again."; return; }
  const reply = await send(form.dataset.claim, { code: form.dataset.code });
  if (reply.ok) { form.hidden = true; say.textContent = "Connected."; document.title = "Connected"; return; }
  const body = await reply.json().catch(() => ({}));
  say.textContent = reply.status === 404 ? "This was started by somebody else, or it is too late. Nothing is connected."
    : body.message ?? "That did not work.";
});
`;

export function arrivalPage(arrival: Arrival): Response {
  if (arrival.kind === "unknown") {
    return htmlPage({
      status: 400,
      title: "Link not valid",
      body: `<h1>This link is too old, was used before, or is not ours.</h1>
<p>Nothing was connected. Start connecting again where you started.</p>${link(null)}`,
    });
  }
  const { attempt, provider } = arrival;
  const name = escapeHtml(provider);
  const as = "account" in arrival && arrival.account ? ` as ${escapeHtml(arrival.account)}` : "";
  const organization = `data-organization="${escapeHtml(attempt.orgId)}"`;
  const path = `/v1/oauth-providers/${encodeURIComponent(attempt.providerId)}/connect`;
  if (arrival.kind === "connected") {
    const whose = attempt.shared ? `${escapeHtml(attempt.orgName)} is` : "You are";
    return htmlPage({
      title: `${provider} connected`,
      body: `<h1>${name} is connected.</h1><p>${whose} connected${as}. You can close this page.</p>${link(attempt.returnTo)}`,
    });
  }
  if (arrival.kind === "waiting") {
    return htmlPage({
      title: `Finish connecting ${provider}`,
      script,
      body: `<h1>One more step to connect ${name}${as}</h1>
<p>${escapeHtml(attempt.memberName)} of ${escapeHtml(attempt.orgName)} started this, and this browser is not signed in here.
<strong>If that is not you, close this page</strong>: nothing is connected, and what ${name} gave is handed back in ten minutes.</p>
<p>If it is you, enter this code where you started:</p><pre tabindex="0" role="region" aria-label="Code">${escapeHtml(arrival.code)}</pre>
<p>or sign in:</p>
<form ${organization} data-claim="${escapeHtml(`${path}/claim`)}" data-code="${escapeHtml(arrival.code)}">
<label for="email">E-mail</label><input id="email" name="email" type="email" autocomplete="username" required>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<div id="second" hidden><label for="code">Code from your authenticator app, or a backup code</label>
<input id="code" name="code" maxlength="40" autocomplete="one-time-code"></div>
<div><button>Sign in and connect</button></div></form><p role="status"></p>${link(attempt.returnTo)}`,
    });
  }
  // The code is the provider's own word, which may be the name of something that every object has.
  const reason = Object.hasOwn(reasons, arrival.code) ? reasons[arrival.code] : undefined;
  const why = (reason ?? "{} refused, or gave an answer that cannot be used.").replaceAll("{}", () => name);
  const again = new URLSearchParams({
    account: attempt.label,
    scopes: attempt.scopes.join(" "),
    ...(attempt.shared ? { shared: "true" } : {}),
    ...(attempt.returnTo ? { returnTo: attempt.returnTo } : {}),
  });
  const retry =
    arrival.code === "other_person"
      ? ""
      : `<p><button ${organization} data-start="${escapeHtml(`${path}/start?${again}`)}">Try again</button></p><p role="status"></p>`;
  return htmlPage({
    status: 400,
    title: `${provider} not connected`,
    ...(retry ? { script } : {}),
    body: `<h1>${name} is not connected.</h1><p>${why}</p><p>Code: <code>${escapeHtml(arrival.code)}</code></p>${retry}${link(attempt.returnTo)}`,
  });
}
