import { z } from "zod";
import { recordOf, route, tooManyStreams } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { create } from "../contract.ts";

const tag = "MCP Connections";
const manage = can("mcp_connections:manage");

/** Limits of a file. */
export const maxFileBytes = 1024 * 1024;
export const maxServers = 200;
/** A file of the largest size, with every character escaped once, and the items beside it. */
const bodyLimit = 3 * maxFileBytes;

export const formatNames = [
  "mcp_servers",
  "vscode",
  "zed",
  "opencode",
  "registry_server",
  "registry_list",
] as const;
export const problemCodes = [
  "local_command",
  "local_package",
  "no_url",
  "invalid_url",
  "unsupported_transport",
  "invalid_entry",
] as const;

const file = {
  text: z
    .string()
    .min(1)
    .max(maxFileBytes)
    .optional()
    .describe("The file as text. JSON, with or without comments and trailing commas."),
  document: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("The file as a JSON object, instead of `text`."),
};

const ImportItem = z
  .strictObject({
    key: z.string().describe("Identifies the server within the file."),
    name: z.string().describe("The name that the connection gets."),
    url: z
      .string()
      .nullable()
      .describe(
        "Where the server answers. `{name}` stands for a missing value. Null when the entry cannot be saved.",
      ),
    registration: z
      .enum(["bearer"])
      .nullable()
      .describe("`bearer` when the file has a credential for the server. Null: discovery decides."),
    headers: z.array(z.string()).describe("Names of the headers in the file. Values are not shown."),
    missing: z
      .array(
        z.strictObject({
          name: z.string().describe("The name of the value, as in the file."),
          description: z.string().nullable().describe("What the file says about the value."),
          secret: z.boolean().describe("Whether the value is a secret, so that it is not shown while typed."),
          optional: z.boolean().describe("Whether the server can be saved without it."),
        }),
      )
      .describe("Values that the file refers to but does not contain. Send them in `values`."),
    existing: z
      .strictObject({ id: idSchema("mcn"), name: z.string() })
      .nullable()
      .describe("The saved connection with the same URL. Null: there is none."),
    notes: z.array(z.string()).describe("What the import does not take over from the entry, and why."),
    problem: z
      .strictObject({
        code: z.enum(problemCodes).describe("Why the entry cannot be saved."),
        message: z.string(),
      })
      .nullable()
      .describe("Why the entry cannot be saved. Null: it can."),
  })
  .meta({ id: "McpImportItem" });
export type ImportItem = z.output<typeof ImportItem>;

export const Preview = z
  .strictObject({
    format: z.enum(formatNames).describe("The form of the file."),
    items: z.array(ImportItem).describe("All servers in the file, in their order."),
  })
  .meta({ id: "McpImportPreview" });
export type Preview = z.output<typeof Preview>;

export const preview = route({
  method: "post",
  path: "/v1/mcp-connections/import/preview",
  tag,
  summary: "Show the servers in a configuration file",
  description: `Reads the configuration file of an MCP client (Claude, Cursor, VS Code, Windsurf, Zed, Gemini CLI, LM Studio, OpenCode), or the \`server.json\` or list of an MCP registry. Saves nothing and sends no request. Values of headers are not returned. Servers that run as local commands are listed with the reason why they cannot be saved. A file has at most 1 MiB and ${maxServers} servers.`,
  access: manage,
  body: z.strictObject(file),
  bodyLimit,
  replies: { 200: Preview },
});

const { name, credential, registration, authorizationServer, clientId, clientSecret, bearerToken } =
  create.body.shape;
const { headers, scopes, access } = create.body.shape;

const ImportChoice = z
  .strictObject({
    key: z.string().min(1).max(300).optional().describe("The `key` of a server in the file."),
    url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe("The URL of a server that is not in the file, instead of `key`."),
    name: name.describe("Another name than the one in the file."),
    values: recordOf(z.string().max(300), z.string().max(8000), 1_000, "values")
      .optional()
      .describe("Values for the names in `missing`."),
    headers: headers.describe("Headers in addition to those in the file. Values are stored sealed."),
    ...{ credential, registration, authorizationServer, clientId, clientSecret, bearerToken, scopes, access },
  })
  .meta({ id: "McpImportChoice" });
export type ImportChoice = z.output<typeof ImportChoice>;

export const ImportInput = z.strictObject({
  ...file,
  items: z
    .array(ImportChoice)
    .min(1)
    .max(maxServers)
    .describe("The servers to save, each with the `key` of the preview or a `url`."),
});
export type ImportInput = z.output<typeof ImportInput>;

/** What the stream of an import sends. Its messages are not validated, so the types are checked by the compiler. */
export interface StartedMessage {
  /** The position in `items` of the request. */
  index: number;
  key: string | null;
  name: string;
  url: string | null;
}

export interface ResultMessage extends StartedMessage {
  outcome: "saved" | "exists" | "choice_required" | "refused";
  /** The connection that was saved or that exists. */
  connectionId: string | null;
  /** The error that `POST /v1/mcp-connections` would answer with. */
  error: ({ error: string } & Record<string, unknown>) | null;
}

export interface DoneMessage {
  saved: number;
  exists: number;
  choiceRequired: number;
  refused: number;
}

export const importServers = route({
  method: "post",
  path: "/v1/mcp-connections/import",
  tag,
  summary: "Save servers of a configuration file",
  description:
    "Saves each item like `POST /v1/mcp-connections`, several at the same time, and answers with an event stream. Send the same file again: header values are taken from it. `started` and `result` messages have the `index` of the item; `outcome` is `saved`, `exists` (a connection with this URL exists, nothing is changed), `choice_required` (with the error `mcp_choice_required` and its `choices`) or `refused` (with the error). The items do not depend on each other. The last message is `done` with the numbers of each outcome. When the caller disconnects, items that have not started are not saved; sending the request again continues, because a URL is saved once.",
  access: manage,
  query: z.strictObject({}),
  body: ImportInput,
  bodyLimit,
  raw: "text/event-stream",
  replies: { 200: z.string() },
  errors: { 429: tooManyStreams },
});

export const clientNames = [
  "claude-code",
  "claude-desktop",
  "claude-ai",
  "cursor",
  "vscode",
  "windsurf",
  "zed",
  "gemini-cli",
  "codex",
  "lm-studio",
  "opencode",
] as const;
export type ClientName = (typeof clientNames)[number];

export const ClientConfiguration = z
  .strictObject({
    client: z.enum(clientNames),
    title: z.string().describe("The name of the client, for people."),
    fileName: z.string().nullable().describe("The name of its configuration file. Null: it has no file."),
    locations: z
      .array(
        z.strictObject({
          system: z.enum(["any", "macos", "linux", "windows"]).describe("The operating system."),
          path: z.string().describe("Where the file is."),
        }),
      )
      .describe("Where the file is, for each operating system."),
    language: z.enum(["json", "toml", "text"]).describe("The language of `content`."),
    content: z.string().describe("What to add to the file, or the address to enter."),
    command: z.string().nullable().describe("A command that does the same. Null: there is none."),
    note: z.string().nullable().describe("What else to do. Null: nothing."),
    source: z.string().nullable().describe("The client's documentation that this was checked against."),
    checkedOn: z.string().nullable().describe("The day of that check. Null: it could not be checked."),
  })
  .meta({ id: "McpClientConfiguration" });
export type ClientConfiguration = z.output<typeof ClientConfiguration>;

export const exportConfiguration = route({
  method: "get",
  path: "/v1/mcp-connections/export",
  tag,
  summary: "Read the configuration that adds this instance to an MCP client",
  description:
    "Returns what to add to the configuration of a client, so that it uses `/mcp` of this instance: one address with the tools of all connections that the member may use. With `credential=oauth` the client signs in in the browser. With `credential=token` the configuration has the placeholder `SIGNALBOX_MCP_TOKEN` for a token of `POST /v1/mcp/token`. It contains no secret.",
  access: can("mcp_connections:use"),
  query: z.strictObject({
    client: z.enum(clientNames).describe("The MCP client."),
    credential: z.enum(["oauth", "token"]).default("oauth").describe("How the client authenticates."),
  }),
  replies: { 200: z.strictObject({ configuration: ClientConfiguration }) },
});
