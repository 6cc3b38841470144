import { htmlPage } from "../../platform/http/index.ts";

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
