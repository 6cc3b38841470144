import { z } from "zod";
import { findRedirectProblem } from "./redirects.ts";

/** What a client tells about itself (RFC 7591). Other fields are ignored: nothing of them is used. */
const Given = z.looseObject({
  redirect_uris: z.array(z.string()).min(1).max(20),
  client_name: z.string().max(1_000).optional(),
  grant_types: z.array(z.string()).max(20).optional(),
  response_types: z.array(z.string()).max(20).optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/** The metadata that the authorization server works with. Every client is a public client. */
export interface ClientMetadata {
  client_id?: string;
  client_name: string;
  redirect_uris: string[];
  application_type: "native";
  grant_types: ["authorization_code", "refresh_token"];
  response_types: ["code"];
  token_endpoint_auth_method: "none";
}

/** An error of RFC 7591, with a description for the developer of the client. */
export class ClientProblem extends Error {
  readonly code:
    | "invalid_client_metadata"
    | "invalid_redirect_uri"
    | "invalid_client"
    | "temporarily_unavailable";
  constructor(code: ClientProblem["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Invisible letters and blanks, beside those that Unicode lets programs ignore. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** So many marks on one letter that they cover the lines above and below. */
const stackedMarks = /(\p{M}{4})\p{M}+/gu;

/** Removes control characters and those that change the direction of text or are not visible. */
function cleanName(name: string): string {
  const clean = name
    .normalize("NFC")
    .replace(invisible, "")
    .replace(stackedMarks, "$1")
    .replace(/\s+/gu, " ")
    .trim();
  // By characters: the database takes no half of one.
  return [...clean].slice(0, 80).join("").trim();
}

/** Checks what a client tells about itself, and keeps what is used. */
export function readMetadata(given: unknown): ClientMetadata {
  const parsed = Given.safeParse(given);
  if (!parsed.success) {
    const { path = [], message = "" } = parsed.error.issues[0] ?? {};
    const code = path[0] === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new ClientProblem(code, `${path.join(".") || "The metadata"}: ${message}`);
  }
  const { redirect_uris, client_name = "", grant_types, response_types } = parsed.data;
  for (const uri of redirect_uris) {
    const problem = findRedirectProblem(uri);
    if (problem) throw new ClientProblem("invalid_redirect_uri", `A redirect URI ${problem}`);
  }
  if (grant_types && !grant_types.includes("authorization_code"))
    throw new ClientProblem("invalid_client_metadata", "grant_types must contain authorization_code.");
  if (response_types && !response_types.includes("code"))
    throw new ClientProblem("invalid_client_metadata", "response_types must contain code.");
  return {
    client_name: cleanName(client_name) || "Unnamed MCP client",
    redirect_uris: [...new Set(redirect_uris)],
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}
