import { actions, html, htmlPage } from "../../../platform/http/index.ts";
import type { User } from "../contract.ts";
import { signInPage } from "../sign-in-page.ts";

const script = `
const again = () => finish("again");
const isTooOld = (reply) => reply.status === 403 && reply.body.error === "reauth";

const shown = (time) => new Date(time).toLocaleString();

function addRow({ id, name, synced, createdAt, lastUsedAt }) {
  const row = $("row").content.cloneNode(true).firstElementChild;
  const field = row.querySelector("input");
  field.id = "name-" + id;
  field.value = name;
  row.querySelector("label").htmlFor = field.id;
  row.querySelector(".hint").textContent = "Added " + shown(createdAt) + ". "
    + (lastUsedAt === null ? "Not used yet." : "Last used " + shown(lastUsedAt) + ".") + (synced ? " Synced between devices." : "");
  onSubmit(row, async (button) => {
    const removes = button.value === "remove";
    if (removes && button.dataset.sure !== "yes") {
      button.dataset.sure = "yes";
      button.textContent = "Remove now";
      return tell("Press again to remove this passkey.");
    }
    const reply = await send("/v1/me/passkeys/" + id, removes ? undefined : { name: field.value }, { method: removes ? "DELETE" : "PATCH" });
    if (isTooOld(reply)) return again();
    if (!reply.ok) return showProblem(row, reply);
    if (removes) await show();
    tell(removes ? "The passkey is removed." : "The passkey is renamed.");
  });
  $("list").append(row);
}

async function show() {
  const reply = await send("/v1/me/passkeys?limit=100", undefined, { method: "GET" });
  if (reply.status === 401) return openAgain();
  if (!reply.ok) return tell(readMessage(reply));
  $("list").after($("say"));
  $("list").replaceChildren();
  for (const passkey of reply.body.items) addRow(passkey);
  $("none").hidden = reply.body.items.length > 0;
}

onSubmit($("add"), async () => {
  const begun = await send("/v1/me/passkeys/options");
  if (isTooOld(begun)) return again();
  if (!begun.ok) return showProblem($("add"), begun);
  let credential;
  try {
    credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(begun.body.options) });
  } catch (error) {
    return tell(error.name === "InvalidStateError" ? "This device has a passkey of this account already." : "No passkey was made. Try again.");
  }
  const reply = await send("/v1/me/passkeys", { name: $("new-name").value || undefined, credential: credential.toJSON() });
  if (isTooOld(reply)) return again();
  if (!reply.ok) return showProblem($("add"), reply);
  $("new-name").value = "";
  const codes = reply.body.backupCodes;
  if (codes) return finish("codes", { codes: codes.join("\\n") });
  await show();
  tell("The passkey is added.");
});
if (window.PublicKeyCredential?.parseCreationOptionsFromJSON) void show();
else finish("unsupported");
document.addEventListener("click", async ({ target }) => {
  if (target.id === "sign-in-again") { await send("/api/auth/sign-out"); openAgain(); }
});
`;

/** People add, rename and remove their passkeys here. */
export const passkeysPage = (publicUrl: string, visitor: User | undefined): Response =>
  visitor === undefined
    ? signInPage({
        publicUrl,
        status: 200,
        title: "Your passkeys",
        signIn: { lead: "Sign in to see and change them.", suffix: "and continue" },
      })
    : htmlPage({
        publicUrl,
        title: "Your passkeys",
        lead: html`A passkey signs you in with your fingerprint, face or PIN instead of a password. You are signed in as <b>${visitor.email}</b>.`,
        body: html`<p id="none" class="aside" hidden>You have no passkey yet.</p><div id="list" class="stack"></div>
<form id="add"><div class="field"><label for="new-name">Name of the new passkey</label><input id="new-name" name="name" maxlength="80" placeholder="Laptop"><p class="hint">With a passkey, your password alone no longer signs in: it also needs a passkey or a code.</p></div>
${actions(html`<button class="btn main">Add a passkey</button>`)}</form>
<template id="row"><form class="who stack"><div class="field"><label>Name</label><input name="name" maxlength="80" required><p class="hint"></p></div>
${actions(html`<button class="btn" value="rename">Rename</button>`, html`<button class="btn danger" value="remove">Remove</button>`)}</form></template>`,
        ends: {
          codes: {
            state: { kind: "ok", word: "Added" },
            title: "Keep your backup codes",
            lead: "Each code signs in once when you have lost your passkey. They are shown only now.",
            body: html`<pre data-field="codes"></pre>${actions(html`<a class="btn main" href="/passkeys">I have kept them</a>`)}`,
          },
          again: {
            state: { kind: "care", word: "Sign in again" },
            title: "Your last sign-in is too long ago",
            lead: "Passkeys are changed within 15 minutes of signing in. Nothing was changed.",
            body: actions(
              html`<button type="button" id="sign-in-again" class="btn main">Sign in again</button>`,
            ),
          },
          unsupported: {
            state: { kind: "bad", word: "Not available" },
            title: "This browser has no passkeys here",
            lead: "Open this page over https with a recent browser.",
          },
        },
        script,
      });
