import { escapeHtml, htmlPage } from "../../platform/http/index.ts";

export const verified = () =>
  htmlPage({
    title: "Address confirmed",
    body: `<h1>Your e-mail address is confirmed.</h1><p>You can close this page, or <a href="/">go on</a>.</p>`,
  });

export const notVerified = () =>
  htmlPage({
    status: 400,
    title: "Link not valid",
    body: `<h1>This link is too old, or was not copied whole.</h1>
<p>Sign in and ask for the confirmation mail again.</p>`,
  });

// The token stays in the address bar; the page only sends it where it belongs.
const resetScript = `
const form = document.querySelector("form"), say = document.querySelector("[role=status]");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  say.textContent = "…";
  const reply = await fetch("/api/auth/reset-password", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: new URLSearchParams(location.search).get("token"), newPassword: form.password.value }),
  });
  if (reply.ok) { form.hidden = true; say.textContent = "Your password is changed. Sign in with the new one."; return; }
  const problem = await reply.json().catch(() => ({}));
  say.textContent = problem.details?.[0]?.message ?? problem.message ?? "That did not work. Try again.";
});
`;

export const resetPassword = () =>
  htmlPage({
    title: "Choose a new password",
    body: `<h1>Choose a new password</h1>
<form><label for="password">New password (at least 8 characters)</label>
<input id="password" name="password" type="password" minlength="8" maxlength="128" autocomplete="new-password" required>
<div><button>Change password</button></div></form><p role="status"></p>`,
    script: resetScript,
  });

// Who is signed in goes on at once; who is not signs in, or up, and then goes on. The token of the link stays
// in the address bar and is sent nowhere but to the route that the page is about.
const signInScript = `
const $ = (id) => document.getElementById(id), say = $("say"), { path, done } = document.querySelector("main > section").dataset;
let step = "", makes = false;
const show = (ids) => { for (const one of ["who", "account", "second", "newcomer"]) $(one).hidden = !ids.includes(one); };
const ask = async (method, to, body) => {
  const reply = await fetch(to, { method, ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}) });
  return { status: reply.status, body: await reply.json().catch(() => ({})) };
};
const problem = ({ status, body }) => { say.textContent = body.details?.[0]?.message ?? body.message ?? (status === 401 ? "That is not right. Try again." : "That did not work. Try again."); };
async function look() {
  const me = await ask("GET", "/v1/me");
  if (me.status !== 200) return show(["account", ...(makes ? ["newcomer"] : [])]);
  $("name").textContent = me.body.user.email;
  show(["who"]);
}
$("who").addEventListener("submit", async (event) => {
  event.preventDefault();
  say.textContent = "…";
  const reply = await ask("POST", path, { token: new URLSearchParams(location.search).get("token") });
  if (reply.status >= 300) return problem(reply);
  show([]);
  say.textContent = done;
});
$("other").addEventListener("click", async () => { await ask("POST", "/api/auth/sign-out"); say.textContent = ""; await look(); });
$("toggle").addEventListener("click", () => {
  makes = !makes;
  $("newcomer").hidden = !makes;
  $("fullname").required = makes;
  $("go").textContent = makes ? "Make an account" : "Sign in";
  $("toggle").textContent = makes ? "I have an account" : "I have no account yet";
});
$("account").addEventListener("submit", async (event) => {
  event.preventDefault();
  say.textContent = "…";
  const given = { email: $("email").value, password: $("password").value };
  const reply = makes
    ? await ask("POST", "/api/auth/sign-up/email", { ...given, name: $("fullname").value })
    : await ask("POST", "/api/auth/sign-in/email", given);
  if (reply.status > 202) return problem(reply);
  say.textContent = "";
  if (reply.status === 202) { step = reply.body.twoFactorToken; show(["second"]); } else await look();
});
$("second").addEventListener("submit", async (event) => {
  event.preventDefault();
  const reply = await ask("POST", "/api/auth/sign-in/two-factor", { twoFactorToken: step, code: $("code").value });
  if (reply.status > 200) return problem(reply);
  say.textContent = "";
  await look();
});
look();
`;

interface Errand {
  title: string;
  lead: string;
  /** What the button says. */
  action: string;
  /** The route that takes `{token}` from the link. */
  path: string;
  /** What to say afterwards. */
  done: string;
}

/** A page that signs somebody in and then does the one thing they came for. */
export const signInPage = ({ title, lead, action, path, done }: Errand) =>
  htmlPage({
    title,
    body: `<section data-path="${escapeHtml(path)}" data-done="${escapeHtml(done)}"><h1>${escapeHtml(title)}</h1>
<form id="who" hidden><p>You are signed in as <b id="name"></b>.</p>
<button>${escapeHtml(action)}</button> <button type="button" id="other">Use another account</button></form>
<form id="account" hidden><p>${escapeHtml(lead)}</p>
<div id="newcomer" hidden><label for="fullname">Your name</label>
<input id="fullname" maxlength="120" autocomplete="name"></div>
<label for="email">E-mail address</label><input id="email" type="email" maxlength="320" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" type="password" minlength="8" maxlength="128" autocomplete="current-password" required>
<div><button id="go">Sign in</button> <button type="button" id="toggle">I have no account yet</button></div></form>
<form id="second" hidden><label for="code">Code from your authenticator app, or a backup code</label>
<input id="code" inputmode="text" maxlength="40" autocomplete="one-time-code" required>
<div><button>Go on</button></div></form><p role="status" id="say"></p></section>`,
    script: signInScript,
  });
