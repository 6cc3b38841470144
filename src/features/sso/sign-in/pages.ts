import {
  actions,
  baseHeaders,
  html,
  htmlPage,
  linkButton,
  type Part,
  type View,
} from "../../../platform/http/index.ts";
import { actionPage, createSessionCookie } from "../../auth/index.ts";
import type { Unknown } from "./callback.ts";
import type { Completed, TestResult } from "./complete.ts";
import { createBrowserCookie } from "./cookie.ts";
import type { LinkPage } from "./link.ts";
import type { Received } from "./saml.ts";
import type { Started } from "./start.ts";

const redirect = (location: string, cookie?: string): Response =>
  new Response(null, {
    status: 303,
    headers: {
      ...baseHeaders,
      location,
      "cache-control": "no-store",
      ...(cookie ? { "set-cookie": cookie } : {}),
    },
  });

export function sendToProvider(publicUrl: string, started: Started): Response {
  const cookie = createBrowserCookie(publicUrl, started.browserSecret);
  if ("location" in started) return redirect(started.location, cookie);
  const { url, fields } = started.form;
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return htmlPage({
    publicUrl,
    title: "Continue to your identity provider",
    lead: html`You sign in at <b>${new URL(url).host}</b>.`,
    body: html`<form method="post" action="${url}">${inputs}${actions(html`<button class="btn main">Continue</button>`)}</form>`,
    script: "document.forms[0].submit();",
    leavesByForm: true,
    headers: { "set-cookie": cookie },
  });
}

/** A browser that did not start here gets its cookie now. */
export const continueReceived = (publicUrl: string, { location, browserSecret }: Received): Response =>
  redirect(location, browserSecret === undefined ? undefined : createBrowserCookie(publicUrl, browserSecret));

export function completedPage(publicUrl: string, requestId: string, result: Completed | Unknown): Response {
  switch (result.kind) {
    case "signed_in":
      return redirect(
        result.returnTo ?? "/",
        result.token === undefined ? undefined : createSessionCookie(publicUrl, result.token),
      );
    case "asks":
      return redirect(result.location);
    case "tested":
      return testPage(publicUrl, result.connector.name, result.result);
    case "refused":
      return htmlPage({
        publicUrl,
        status: 403,
        state: { kind: "bad", word: result.isTest ? "Test failed" : "Not signed in" },
        title: result.isTest ? "The test failed" : "Single sign-on did not sign you in",
        lead: result.message,
        facts: [
          ["Connector", result.connector.name],
          ["Code", html`<code>${result.code}</code>`],
          ["Request", html`<code>${requestId}</code>`],
        ],
        body: html`<p class="aside">Admins of the organization find this in the log of the connector.</p>${actions(
          !result.isTest && linkButton(`/v1/sso/${result.connector.id}/start`, "Try again"),
          linkButton("/", "Open the console", result.isTest ? "main" : "other"),
        )}`,
      });
    case "unknown":
      return htmlPage({
        publicUrl,
        status: 400,
        state: { kind: "bad", word: "Link not valid" },
        title: "This link is too old, was used before, or is not ours.",
        lead: "Opening it changed nothing. To sign in, start again.",
        body: actions(linkButton("/", "Open the console")),
      });
  }
}

const maxClaimLength = 400;
/** Claims that say nothing about the person. */
const technicalClaims = new Set(["nonce", "at_hash", "c_hash", "sid", "jti", "rh", "uti", "aio"]);

const showClaim = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxClaimLength ? `${text.slice(0, maxClaimLength)}…` : text;
};

function describeVerdict({ verdict, role, teams }: TestResult): Part {
  const rights = html`role <b>${role}</b>${teams.length > 0 && html`, teams ${teams.join(", ")}`}`;
  switch (verdict.kind) {
    case "refused":
      return html`This person would be refused: ${verdict.message}`;
    case "known":
      return html`This person would be signed in: ${rights}.`;
    case "back":
      return html`This person would become a member again: ${rights}.`;
    case "new":
      return html`An account and a member would be created for ${verdict.email}: ${rights}.`;
    case "link":
      return html`The account that this organization's single sign-on created would be linked: ${rights}.`;
    case "prove":
      return html`There is an account with ${verdict.email}. It would be linked after its owner has signed in to it once: ${rights}.`;
  }
}

function testPage(publicUrl: string, connector: string, result: TestResult): Response {
  const { verdict, claims, groups, isTested, hasTime } = result;
  const isRefused = verdict.kind === "refused";
  const listed = Object.entries(claims)
    .filter(([name]) => !technicalClaims.has(name))
    .slice(0, 60);
  return htmlPage({
    publicUrl,
    wide: true,
    state: isRefused ? { kind: "bad", word: "Would be refused" } : { kind: "ok", word: "Test succeeded" },
    title: isRefused ? "The provider works, but this person could not sign in" : `${connector} works`,
    lead: describeVerdict(result),
    facts: [
      ["Connector", connector],
      isRefused ? ["Code", html`<code>${verdict.code}</code>`] : undefined,
      [
        "Groups received",
        groups === "unknown" ? "too many to send; mappings stay as they are" : String(groups.length),
      ],
      [
        "Time of the sign-in",
        hasTime ? "received" : "not received: people cannot sign in again where a fresh sign-in is needed",
      ],
      [
        "Counts as your test",
        isTested ? "yes" : "no: sign in at the provider as yourself, as a person who would not be refused",
      ],
    ],
    body: html`<div class="stack"><h2>Claims received</h2><dl class="facts">${listed.map(
      ([name, value]) =>
        html`<div><dt>${name.slice(0, 100)}</dt><dd><code>${showClaim(value)}</code></dd></div>`,
    )}</dl></div><p class="aside">Nobody was signed in, and nothing else was changed.</p>${actions(linkButton("/", "Open the console"))}`,
  });
}

/** The page of a question that can no longer be answered. */
export const expiredPage = (publicUrl: string, outcome: string): Response =>
  htmlPage({
    publicUrl,
    status: 400,
    state: { kind: "bad", word: "Link not valid" },
    title: "This link was used before, is older than ten minutes, or belongs to another browser.",
    lead: `${outcome} To continue, sign in with single sign-on again.`,
    body: actions(linkButton("/", "Open the console")),
  });

/** Asks the owner of an existing account to prove it, and then links it. */
export function linkPage(publicUrl: string, page: LinkPage | undefined): Response {
  if (!page) return expiredPage(publicUrl, "Nothing was linked.");
  const { organization, email, returnTo, visitor } = page;
  const done: View = {
    state: { kind: "ok", word: "Linked" },
    title: "You are signed in",
    lead: html`From now on you sign in to <b>${organization}</b> with single sign-on.`,
    body: actions(linkButton(returnTo ?? "/", "Continue")),
  };
  return actionPage({
    publicUrl,
    visitor,
    title: "Is this account yours?",
    lead: html`There is an account with <b>${email}</b> already. Link it once, and you sign in to <b>${organization}</b> with single sign-on from then on.`,
    signIn: {
      lead: html`Sign in to the account <b>${email}</b> to show that it is yours.`,
      suffix: "and continue",
      // Here the password is the proof.
      offersSso: false,
    },
    ...(visitor && visitor.email !== email
      ? { wrongAccount: html`The account to link is <b>${email}</b>.` }
      : {}),
    action: "Link this account",
    path: "/v1/sso/link",
    done,
  });
}
