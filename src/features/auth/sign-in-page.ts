import { actions, html, htmlPage, type Markup, type Part, type View } from "../../platform/http/index.ts";
import type { User } from "./contract.ts";

/** After a sign-in or sign-up it calls `signedIn()`, which the page must define. */
export const signInScript = `
let twoFactorToken = "";
let isNew = false;

// On the page of an invitation, the request contains the token of its link.
const makeAccount = (given) => send("/api/auth/sign-up/email",
  $("account").dataset.invitation ? { ...given, invitationToken: linkToken() } : given);

const sso = { startUrl: "", askedFor: "" };

/** Asks where people with this address sign in. The answer depends on its domain only. */
async function findWayIn() {
  const email = $("email").value.trim();
  if (!$("account").dataset.sso || isNew || email === sso.askedFor) return;
  sso.askedFor = email;
  const reply = email.includes("@")
    ? await send("/v1/sso/resolve?email=" + encodeURIComponent(email), undefined, { method: "GET" }) : { body: {} };
  if ($("email").value.trim() === email) useSso(reply.body.method === "sso" ? reply.body.startUrl : "");
}
function useSso(startUrl) {
  sso.startUrl = startUrl;
  $("secret").hidden = startUrl !== "";
  $("sso").hidden = startUrl === "";
  $("go").textContent = startUrl ? "Continue with single sign-on" : $("go").dataset.signIn;
  if (startUrl) tell("Your organization uses single sign-on.", true);
}
$("email")?.addEventListener("change", findWayIn);
$("with-password")?.addEventListener("click", () => {
  useSso("");
  $("password").focus();
});

onSubmit($("account"), async () => {
  await findWayIn();
  if (sso.startUrl && !isNew) {
    const query = new URLSearchParams({ login_hint: $("email").value.trim(), returnTo: location.pathname + location.search });
    return location.assign(new URL(sso.startUrl).pathname + "?" + query);
  }
  if ($("password").value === "") {
    tell("Enter your password.");
    return $("password").focus();
  }
  const given = { email: $("email").value, password: $("password").value };
  if (isNew) {
    // If another window has signed in meanwhile, a sign-up would replace its cookie. Reload to show that account.
    const me = await send("/v1/me", undefined, { method: "GET" });
    if (me.ok) return openAgain();
    if (me.status !== 401) return showProblem($("account"), me);
  }
  const reply = await (isNew ? makeAccount({ ...given, name: $("fullname").value }) : send("/api/auth/sign-in/email", given));
  if (reply.status === 401) return tell("The e-mail address or the password is wrong.");
  if (!reply.ok) return showProblem($("account"), reply);
  // For an address that already has an account, sign-up replies the same but signs nobody in.
  if (isNew && (await send("/v1/me", undefined, { method: "GET" })).status === 401)
    return tell("If this address has an account already, sign in to it. We have sent a mail to the address.");
  if (reply.status !== 202) return signedIn();
  twoFactorToken = reply.body.twoFactorToken;
  $("account").hidden = true;
  $("second").hidden = false;
  tell("Your password is right. Now enter a code.", true);
  $("code").focus();
});
onSubmit($("second"), async () => {
  const reply = await send("/api/auth/sign-in/two-factor", { twoFactorToken, code: $("code").value });
  if (reply.ok) return signedIn();
  if (reply.status === 401) return tell("This code is wrong, was used before, or has expired.");
  showProblem($("second"), reply);
});
// Browsers have no passkeys on plain http, nor on IP addresses.
if (window.PublicKeyCredential?.parseRequestOptionsFromJSON && !/^[\\d.]+$|:/.test(location.hostname))
  for (const part of document.querySelectorAll(".passkey")) part.hidden = false;
async function signInWithPasskey(form, step) {
  (form.querySelector(".actions")).before($("say"));
  tell("One moment…", true);
  const begun = await send("/api/auth/passkey/options", step);
  if (!begun.ok) return showProblem(form, begun);
  let credential;
  try {
    credential = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(begun.body.options) });
  } catch {
    return tell("No passkey was used. Try again, or sign in another way.");
  }
  const reply = await send("/api/auth/sign-in/passkey", { ...step, credential: credential.toJSON() });
  if (reply.ok) return signedIn();
  if (reply.status === 401) return tell("This passkey does not belong to an account here, or it took too long.");
  showProblem(form, reply);
}
$("passkey")?.addEventListener("click", () => signInWithPasskey($("account"), {}));
$("second-passkey")?.addEventListener("click", () => signInWithPasskey($("second"), { twoFactorToken }));
$("back")?.addEventListener("click", () => {
  $("second").hidden = true;
  $("account").hidden = false;
  tell("");
  $("email").focus();
});
$("toggle")?.addEventListener("click", () => {
  isNew = !isNew;
  useSso("");
  sso.askedFor = "";
  $("newcomer").hidden = !isNew;
  $("length").hidden = !isNew;
  $("fullname").required = isNew;
  $("password").autocomplete = isNew ? "new-password" : "current-password";
  $("password").minLength = isNew ? 8 : 0;
  $("go").textContent = isNew ? $("go").dataset.signUp : $("go").dataset.signIn;
  $("question").textContent = isNew ? "You have an account?" : "No account yet?";
  $("toggle").textContent = isNew ? "Sign in" : "Create an account";
  clearProblems($("account"));
  tell("");
  $(isNew ? "fullname" : "email").focus();
});
`;

interface SignInForms {
  /** The text before the fields. */
  lead: Part;
  /** Added to the label of the sign-in button, such as "and connect". */
  suffix?: string;
  /** Who can make an account on this page. */
  signUpFor?: "nobody" | "anybody" | "invited";
  /** False where the page cannot be opened again after a sign-in elsewhere, or where a password is the proof. */
  offersSso?: boolean;
}

/** Forms to sign in or sign up, and for the second factor. */
export const signInForms = ({
  lead,
  suffix,
  signUpFor = "nobody",
  offersSso = true,
}: SignInForms): Markup => html`<form id="account"${
  signUpFor === "invited" && html` data-invitation="true"`
}${offersSso && html` data-sso="true"`}><p>${lead}</p>
${
  signUpFor !== "nobody" &&
  html`<div id="newcomer" class="field" hidden><label for="fullname">Your name</label><input id="fullname" name="name" maxlength="120" autocomplete="name"></div>`
}<div class="field"><label for="email">E-mail address</label><input id="email" name="email" type="email" maxlength="320" autocomplete="username" required></div>
<div id="secret" class="field"><label for="password">Password</label><input id="password" name="password" type="password" maxlength="128" autocomplete="current-password">${
  signUpFor !== "nobody" && html`<p id="length" class="hint" hidden>At least 8 characters.</p>`
}</div>
<p id="sso" class="aside" hidden>Your organization uses single sign-on. <button type="button" id="with-password" class="quiet">Use a password instead</button></p>
${actions(
  html`<button id="go" class="btn main" data-sign-in="Sign in${suffix && ` ${suffix}`}" data-sign-up="Create an account">Sign in${suffix && ` ${suffix}`}</button>`,
  html`<button type="button" id="passkey" class="btn passkey" hidden>Use a passkey</button>`,
)}
${
  signUpFor !== "nobody" &&
  html`<p class="aside"><span id="question">No account yet?</span> <button type="button" id="toggle" class="quiet">Create an account</button></p>`
}<p class="aside">Forgot your password? <a href="/reset-password">Ask for a new one</a></p></form>
<form id="second" hidden><p>Your account has a second factor.</p><div class="field"><label for="code">Code from your authenticator app, or a backup code</label><input id="code" name="code" maxlength="40" autocomplete="one-time-code" required></div>
${actions(html`<button class="btn main">Continue</button>`, html`<button type="button" id="second-passkey" class="btn passkey" hidden>Use a passkey</button>`, html`<button type="button" id="back" class="btn">Back</button>`)}</form>`;

const actionScript = `
const signedIn = openAgain;
onSubmit($("who"), async () => {
  const { path, sendsToken } = $("who").dataset;
  const option = $("option");
  const body = sendsToken ? { token: linkToken(), ...(option ? { [option.name]: option.checked } : {}) } : undefined;
  const reply = await send(path, body);
  if (reply.ok) return finish("done");
  // The session has ended meanwhile. The reloaded page asks to sign in.
  if (reply.status === 401) return openAgain();
  showProblem($("who"), reply);
});
$("other")?.addEventListener("click", async () => {
  await send("/api/auth/sign-out");
  openAgain();
});
`;

interface ActionPage extends View {
  publicUrl: string;
  status?: number;
  /** The signed-in person. When undefined, the page shows the sign-in forms. */
  visitor: User | undefined;
  signIn: SignInForms;
  /** Why this account cannot do it. The page then offers to use another account. */
  wrongAccount?: Part;
  /** A checkbox whose value is sent as a boolean in `field`. */
  option?: { field: string; label: string };
  /** The label of the button. */
  action: string;
  /** The route that the button calls. */
  path: string;
  /** False when the route does not take the token of the link. */
  sendsToken?: boolean;
  done: View;
}

/** A page for one action, such as accepting an invitation. It asks to sign in first. */
export function actionPage({
  publicUrl,
  status = 200,
  visitor,
  signIn,
  wrongAccount,
  option,
  action,
  path,
  sendsToken = true,
  done,
  ...view
}: ActionPage): Response {
  const other = html`<button type="button" id="other" class="btn${wrongAccount !== undefined && " main"}">Use another account</button>`;
  const body = !visitor
    ? signInForms(signIn)
    : html`<form id="who" data-path="${path}"${sendsToken && html` data-sends-token="true"`}><p class="who">You are signed in as <b id="name">${visitor.email}</b>.</p>
${
  wrongAccount
    ? html`<p>${wrongAccount}</p>${actions(other)}`
    : html`${option && html`<label class="check"><input type="checkbox" id="option" name="${option.field}"><span>${option.label}</span></label>`}${actions(html`<button class="btn main">${action}</button>`, other)}`
}</form>`;
  return htmlPage({
    publicUrl,
    status,
    ...view,
    body: html`${view.body}${body}`,
    ends: { done },
    script: (visitor ? "" : signInScript) + actionScript,
  });
}

interface SignInPage extends View {
  publicUrl: string;
  status: number;
  headers?: Record<string, string>;
  signIn: SignInForms;
}

/** A page that asks to sign in and then reloads the same address. */
export const signInPage = ({ signIn, ...page }: SignInPage): Response =>
  htmlPage({
    ...page,
    body: html`${page.body}${signInForms(signIn)}`,
    script: `${signInScript}const signedIn = openAgain;`,
  });
