import type { Ctx } from "../../../platform/context.ts";
import { actions, html, htmlPage, linkButton } from "../../../platform/http/index.ts";

export interface Problem {
  error: string;
  description?: string;
  /** Where the client waits for the answer. */
  returnTo?: string;
}

/** What the person can do. The details are for the developer of the client. */
const leads: Record<string, string> = {
  invalid_client:
    "This instance does not know the MCP client, or cannot read what it publishes about itself.",
  invalid_redirect_uri: "The MCP client wants the answer at an address that it did not register.",
  invalid_target: "The MCP client asks for access to something else than the MCP endpoint of this instance.",
  temporarily_unavailable: "This instance cannot take another MCP client at the moment.",
};

export function problemPage(
  { config: { publicUrl }, requestId }: Ctx,
  { error, description, returnTo }: Problem,
): Response {
  const lead = Object.hasOwn(leads, error) ? leads[error] : undefined;
  return htmlPage({
    publicUrl,
    status: 400,
    state: { kind: "bad", word: "Not connected" },
    title: "The MCP client cannot be connected",
    lead: `${lead ?? "The request of the MCP client is not valid, or it is too old."} Nothing was allowed. Start again in the client; if it happens again, tell the people who make it.`,
    facts: [
      ["Code", html`<code>${error}</code>`],
      description ? ["Details", description] : undefined,
      ["Request", html`<code>${requestId}</code>`],
    ],
    body: actions(
      linkButton("/", "Open the console"),
      returnTo !== undefined && linkButton(returnTo, "Return to the client", "other"),
    ),
  });
}
