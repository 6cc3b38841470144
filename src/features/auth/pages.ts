import { actions, html, htmlPage, linkButton, type View } from "../../platform/http/index.ts";

const resetScript = `
onSubmit($("reset"), async () => {
  const reply = await send("/api/auth/reset-password",
    { token: linkToken(), newPassword: $("password").value, endKeysAndTokens: $("keys").checked });
  if (reply.ok) return finish("done");
  if (reply.body.details?.[0]?.path?.[0] === "token") return openAgain();
  showProblem($("reset"), reply);
});
`;

const requestScript = `
onSubmit($("request"), async () => {
  const email = $("email").value;
  const reply = await send("/api/auth/request-password-reset", { email });
  if (reply.ok) return finish("sent", { email });
  showProblem($("request"), reply);
});
`;

/** Shows the login command to use next. It leaves out an address that has special characters of a shell. */
export const loginCommand = (publicUrl: string, email = "") =>
  html`<div class="stack"><p class="aside">On the command line, sign in with:</p><pre>signalbox login \\
  --url ${publicUrl}${
    /^[\w.+-]+@[\w.-]+$/.test(email) &&
    ` \\
  --email ${email}`
  }</pre></div>`;

/** The form of a valid reset link. It names the account first. */
export const choosePasswordPage = (publicUrl: string, email: string) =>
  htmlPage({
    publicUrl,
    title: "Choose a new password",
    lead: html`For the account <b>${email}</b>. Every session of it ends when you do.`,
    body: html`<form id="reset"><input type="hidden" name="username" autocomplete="username" value="${email}">
<div class="field"><label for="password">New password</label><input id="password" name="newPassword" type="password" minlength="8" maxlength="128" autocomplete="new-password" aria-describedby="length" required><p id="length" class="hint">At least 8 characters.</p></div>
<label class="check"><input id="keys" name="keys" type="checkbox"><span>Also end my API keys and tokens. Programs that use them stop.</span></label>
${actions(html`<button class="btn main">Change password</button>`)}</form>`,
    ends: {
      done: {
        state: { kind: "ok", word: "Changed" },
        title: "Your password is changed",
        lead: html`Use the new one for <b>${email}</b> from now on. You are signed out everywhere.`,
        body: html`${actions(linkButton("/sign-in", "Sign in"))}${loginCommand(publicUrl, email)}`,
      },
    },
    script: resetScript,
  });

const createRequestForm = (why: View) => ({
  ...why,
  body: html`<form id="request"><div class="field"><label for="email">E-mail address of your account</label><input id="email" name="email" type="email" maxlength="320" autocomplete="username" required></div>
${actions(html`<button class="btn main">Send me a link</button>`)}</form>`,
  ends: {
    sent: {
      state: { kind: "ok", word: "Asked for" },
      title: "Check your mailbox",
      lead: html`If there is an account with <b data-field="email"></b>, a mail with a link is on its way. The link is good for an hour.`,
      body: html`<p class="aside">No mail? Look in your spam folder, and check the address. If this instance does not send mails, its operator can find yours with <code>signalbox mail</code>.</p>
${actions(linkButton("/sign-in", "Back to the sign-in"))}`,
    },
  } satisfies Record<string, View>,
  script: requestScript,
});

/** The form to ask for a reset link, without a token or when the token is not valid. */
export const requestResetPage = (publicUrl: string, reason: "no_token" | "bad_link" | "expired") =>
  reason === "no_token"
    ? htmlPage({
        publicUrl,
        ...createRequestForm({
          title: "Forgot your password?",
          lead: "Enter the address of your account. A mail with a link to choose a new password goes there.",
        }),
      })
    : htmlPage({
        publicUrl,
        status: 400,
        ...createRequestForm({
          state: { kind: "bad", word: reason === "expired" ? "Link expired" : "Link not valid" },
          title:
            reason === "expired"
              ? "This link is older than an hour"
              : "This link was used before, was replaced, or is not complete",
          lead: "Your password was not changed. Ask for a new link to change it.",
        }),
      });
