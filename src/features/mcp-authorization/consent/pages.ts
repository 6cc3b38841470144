import type { PersonCtx } from "../../../platform/context.ts";
import {
  actions,
  html,
  htmlPage,
  linkButton,
  type Part,
  type RefusalPage,
  renderRefusalPage,
} from "../../../platform/http/index.ts";
import { signInPage } from "../../auth/index.ts";
import { findAsker, type Question } from "./service.ts";

const script = `
onSubmit($("consent"), async (button) => {
  const path = location.pathname;
  const scopes = [...document.querySelectorAll("[name=scope]")].filter((one) => one.type === "hidden" || one.checked)
    .map((one) => one.value);
  const reply = button.id === "deny" ? await send(path + "/deny")
    : await send(path, { scopes }, { headers: { "x-organization-id": $("organization").value } });
  if (reply.status === 401 || reply.status === 404) return openAgain();
  if (!reply.ok) {
    if (reply.body.error === "reauth") $("other").classList.add("main");
    return showProblem($("consent"), reply);
  }
  finish(button.id === "deny" ? "denied" : "allowed");
  location.assign(reply.body.continueAt);
});
$("other")?.addEventListener("click", async () => {
  await send("/api/auth/sign-out");
  openAgain();
});
`;

const scopeTexts = {
  "mcp:read": "See your tools, automations and runs, and use tools that only read",
  "mcp:write": "Use tools that change something, and start automations",
} as const;

/** What the person should check, because nobody else did. */
function listWarnings({ registration, redirect }: Question): Part[] {
  return [
    registration === "dynamic" &&
      html`<p>The client registered itself. <strong>Anybody can use this name</strong>, so continue only if you started this yourself, just now.</p>`,
    redirect.kind === "loopback" &&
      html`<p>The access goes to <strong>a program on this computer</strong> (<code>${redirect.host}</code>). Continue only if you started it.</p>`,
    redirect.kind === "app" &&
      html`<p>The access goes to the app that opens <code>${redirect.host}</code> links on this device.</p>`,
  ].filter((part) => part !== false);
}

const describeAsker = ({ name, registration, redirect, clientId }: Question): [string, Part][] => [
  ["Client", name],
  [
    "Identity",
    registration === "dynamic" ? "Not verified" : html`Published by <code>${new URL(clientId).host}</code>`,
  ],
  ["Returns to", html`<code>${redirect.host}</code>`],
];

interface ConsentPage {
  question: Question;
  organizations: readonly { id: string; name: string }[];
  activeOrgId: string | undefined;
  email: string;
}

export function consentPage(
  { config: { publicUrl } }: PersonCtx,
  { question, organizations, activeOrgId, email }: ConsentPage,
): Response {
  const { name, scopes } = question;
  const other = html`<button type="button" id="other" class="btn">Use another account</button>`;
  if (organizations.length === 0) {
    return htmlPage({
      publicUrl,
      status: 403,
      state: { kind: "bad", word: "Not connected" },
      title: "You do not belong to an organization yet",
      lead: "MCP clients are connected inside an organization. Ask to be invited to one, or create one in the console.",
      facts: [["Signed in as", email]],
      body: actions(linkButton("/", "Open the console"), other),
      script,
    });
  }
  const warnings = listWarnings(question);
  return htmlPage({
    publicUrl,
    ...(warnings.length > 0 ? { state: { kind: "care", word: "Check this" } } : {}),
    title: `Connect ${name}?`,
    lead: html`It wants to use this instance for you, with your rights and no more. It cannot see your password.`,
    facts: [...describeAsker(question), ["Signed in as", email]],
    body: html`${warnings}<form id="consent">${chooseOrganization(organizations, activeOrgId)}${chooseScopes(scopes)}
<p class="aside">It stays connected until you end it in the console, or until it is not used for 30 days. After a year it must ask again.</p>
${actions(html`<button class="btn main" id="allow">Connect</button>`, html`<button class="btn" id="deny">Cancel</button>`, other)}</form>`,
    ends: {
      allowed: {
        state: { kind: "ok", word: "Allowed" },
        title: "Back to the client",
        lead: "The client receives its access now. You can close this page.",
      },
      denied: {
        state: { kind: "care", word: "Not connected" },
        title: "Back to the client",
        lead: "Nothing was allowed. You can close this page.",
      },
    },
    script,
  });
}

function chooseOrganization(
  organizations: ConsentPage["organizations"],
  activeOrgId: string | undefined,
): Part {
  const [only] = organizations;
  if (only && organizations.length === 1)
    return html`<p class="who">For <b>${only.name}</b><input type="hidden" id="organization" value="${only.id}"></p>`;
  return html`<div class="field"><label for="organization">Organization</label><select id="organization" name="organization">${organizations.map(
    ({ id, name }) => html`<option value="${id}"${id === activeOrgId && html` selected`}>${name}</option>`,
  )}</select></div>`;
}

function chooseScopes(scopes: Question["scopes"]): Part {
  return html`<div class="stack"><h2>It may</h2>${scopes.map((scope) =>
    // Without any scope there is nothing to allow, so one of them cannot be removed.
    scope === "mcp:write" && scopes.length > 1
      ? html`<label class="check"><input type="checkbox" name="scope" value="${scope}" checked><span>${scopeTexts[scope]}</span></label>`
      : html`<p class="check"><input type="hidden" name="scope" value="${scope}"><svg class="tick" viewBox="0 0 24 24" aria-hidden="true"><path d="m6 12.5 4 4 8-9"/></svg><span>${scopeTexts[scope]}</span></p>`,
  )}</div>`;
}

/** Asks to sign in, with a password or with single sign-on, and then opens the same page again. */
export const refuseConsent: RefusalPage = async (ctx, refusal, { params, path, search, headers }) => {
  const { publicUrl } = ctx.config;
  if (refusal.status === 401) {
    const asker = await findAsker(ctx, params.uid ?? "", headers.cookie);
    return signInPage({
      publicUrl,
      status: 401,
      headers: refusal.headers,
      title: asker ? `Sign in to connect ${asker.name}` : "Sign in to connect an MCP client",
      lead: "An MCP client asks for access. After you sign in, you see what it asks for, and decide.",
      facts: asker && describeAsker(asker),
      signIn: { lead: "Sign in with an account that belongs to the organization.", suffix: "and continue" },
    });
  }
  if (refusal.status !== 404) return undefined;
  return renderRefusalPage(
    refusal,
    { publicUrl, requestId: ctx.requestId, target: search ? `${path}?${search}` : path },
    {
      state: { kind: "bad", word: "Not connected" },
      title: "This request is over",
      lead: "It is older than 30 minutes, was decided already, or was started in another browser. Start again in the MCP client.",
    },
  );
};
