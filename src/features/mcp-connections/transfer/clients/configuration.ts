import type { ClientConfiguration, ClientName } from "../contract.ts";
import { clients } from "./clients.ts";

/** How the client authenticates: it signs in in the browser, or it sends a token. */
export type ClientCredential = "oauth" | "token";

/** Writes the configuration that adds `/mcp` of this instance to a client. */
export function createConfiguration(
  client: ClientName,
  publicUrl: string,
  credential: ClientCredential,
): ClientConfiguration {
  const { title, fileName, locations, source, checkedOn, write } = clients[client];
  const { language = "json", content, command = null, notes = [] } = write(`${publicUrl}/mcp`, credential);
  return {
    ...{ client, title, fileName, locations, language, command, source, checkedOn },
    content: typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`,
    note: notes.length > 0 ? notes.join(" ") : null,
  };
}
