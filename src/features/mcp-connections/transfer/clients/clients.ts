import type { ClientConfiguration, ClientName } from "../contract.ts";

interface Written {
  language?: ClientConfiguration["language"];
  content: string | Record<string, unknown>;
  command?: string;
  notes?: string[];
}

interface Client
  extends Pick<ClientConfiguration, "title" | "fileName" | "locations" | "source" | "checkedOn"> {
  write(url: string, credential: "oauth" | "token"): Written;
}

const name = "signalbox";
const variable = "SIGNALBOX_MCP_TOKEN";
/** The day on which the formats were compared with the documentation of the clients. */
const checkedOn = "2026-11-16";

const setVariable = `Create a token with POST /v1/mcp/token and set the environment variable ${variable} to it.`;
const replaceToken = `Create a token with POST /v1/mcp/token and put it in the place of <${variable}>. Keep the file private.`;
const signIn = "The client opens the browser for the sign-in when it connects the first time.";

const inHome = (path: string): ClientConfiguration["locations"] => [
  { system: "macos", path: `~/${path}` },
  { system: "linux", path: `~/${path}` },
  { system: "windows", path: `%USERPROFILE%\\${path.replaceAll("/", "\\")}` },
];

/** An entry with a header for the token. `value` is how the client refers to a variable. */
const withHeader = (entry: Record<string, string>, credential: "oauth" | "token", value: string) =>
  credential === "oauth" ? entry : { ...entry, headers: { Authorization: `Bearer ${value}` } };

const notesFor = (credential: "oauth" | "token", tokenNote: string): string[] => [
  credential === "oauth" ? signIn : tokenNote,
];

export const clients: Record<ClientName, Client> = {
  "claude-code": {
    title: "Claude Code",
    fileName: ".mcp.json",
    locations: [{ system: "any", path: ".mcp.json in the project folder" }],
    source: "https://code.claude.com/docs/en/mcp",
    checkedOn,
    write: (url, credential) => ({
      content: {
        mcpServers: { [name]: withHeader({ type: "http", url }, credential, `\${${variable}}`) },
      },
      command: `claude mcp add --transport http --scope user ${name} ${url}${
        credential === "token" ? ` --header "Authorization: Bearer $${variable}"` : ""
      }`,
      notes: [
        credential === "oauth" ? "Sign in with the command /mcp of Claude Code." : setVariable,
        "The command adds it for all projects of one person, in ~/.claude.json.",
      ],
    }),
  },
  "claude-desktop": {
    title: "Claude Desktop",
    fileName: "claude_desktop_config.json",
    locations: [
      { system: "macos", path: "~/Library/Application Support/Claude/claude_desktop_config.json" },
      { system: "windows", path: "%APPDATA%\\Claude\\claude_desktop_config.json" },
    ],
    source:
      "https://support.claude.com/en/articles/11503834-building-custom-integrations-via-remote-mcp-servers",
    checkedOn,
    write: (url, credential) => ({
      content: {
        mcpServers: {
          [name]: {
            command: "npx",
            args: [
              ...["-y", "mcp-remote", url],
              // mcp-remote refuses plain http unless it is told otherwise.
              ...(url.startsWith("http:") ? ["--allow-http"] : []),
              // A space in an argument is lost on Windows, so the value is in the environment.
              ...(credential === "token" ? ["--header", `Authorization:\${AUTHORIZATION}`] : []),
            ],
            ...(credential === "token" ? { env: { AUTHORIZATION: `Bearer <${variable}>` } } : {}),
          },
        },
      },
      notes: [
        "The file starts only local commands, so mcp-remote connects; it needs Node.js.",
        "If Anthropic's servers can reach this instance, add its address under Customize > Connectors instead (client claude-ai).",
        ...(credential === "token" ? [replaceToken] : []),
      ],
    }),
  },
  "claude-ai": {
    title: "Claude connectors (web, desktop and mobile)",
    fileName: null,
    locations: [],
    source:
      "https://support.claude.com/en/articles/11503834-building-custom-integrations-via-remote-mcp-servers",
    checkedOn,
    write: (url, credential) => ({
      language: "text",
      content: `${url}\n`,
      notes: [
        "Enter the address under Customize > Connectors > Add custom connector, then connect it.",
        "Anthropic's servers connect to it, so they must be able to reach this instance.",
        ...(credential === "token" ? ["Connectors sign in in the browser; they do not take a token."] : []),
      ],
    }),
  },
  cursor: {
    title: "Cursor",
    fileName: "mcp.json",
    locations: [
      { system: "any", path: ".cursor/mcp.json in the project folder" },
      ...inHome(".cursor/mcp.json"),
    ],
    source: "https://cursor.com/docs/mcp",
    checkedOn,
    write: (url, credential) => ({
      content: { mcpServers: { [name]: withHeader({ url }, credential, `\${env:${variable}}`) } },
      notes: [
        ...notesFor(credential, setVariable),
        ...(credential === "token" ? ["Cursor may still offer the sign-in, which works too."] : []),
      ],
    }),
  },
  vscode: {
    title: "Visual Studio Code",
    fileName: "mcp.json",
    locations: [
      {
        system: "any",
        path: ".vscode/mcp.json in the workspace, or the command MCP: Open User Configuration",
      },
    ],
    source: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
    checkedOn,
    write: (url, credential) => ({
      content: {
        servers: { [name]: withHeader({ type: "http", url }, credential, `\${input:signalbox-token}`) },
        ...(credential === "token"
          ? {
              inputs: [
                {
                  ...{ type: "promptString", id: "signalbox-token" },
                  ...{ description: "MCP token of Signalbox", password: true },
                },
              ],
            }
          : {}),
      },
      notes: notesFor(
        credential,
        "Create a token with POST /v1/mcp/token. VS Code asks for it and keeps it.",
      ),
    }),
  },
  windsurf: {
    title: "Windsurf",
    fileName: "mcp_config.json",
    locations: inHome(".codeium/windsurf/mcp_config.json"),
    source: "https://docs.windsurf.com/windsurf/cascade/mcp",
    checkedOn,
    write: (url, credential) => ({
      content: { mcpServers: { [name]: withHeader({ serverUrl: url }, credential, `\${env:${variable}}`) } },
      notes: [
        ...notesFor(credential, setVariable),
        "Windsurf uses at most 100 tools: add ?tools=search to the address if there are more.",
      ],
    }),
  },
  zed: {
    title: "Zed",
    fileName: "settings.json",
    locations: [
      { system: "macos", path: "~/.config/zed/settings.json" },
      { system: "linux", path: "~/.config/zed/settings.json" },
      { system: "windows", path: "%APPDATA%\\Zed\\settings.json" },
    ],
    source: "https://zed.dev/docs/ai/mcp",
    checkedOn,
    write: (url, credential) => ({
      content: { context_servers: { [name]: withHeader({ url }, credential, `<${variable}>`) } },
      notes: notesFor(credential, replaceToken),
    }),
  },
  "gemini-cli": {
    title: "Gemini CLI",
    fileName: "settings.json",
    locations: inHome(".gemini/settings.json"),
    source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
    checkedOn,
    write: (url, credential) => ({
      content: { mcpServers: { [name]: withHeader({ httpUrl: url }, credential, `$${variable}`) } },
      command: `gemini mcp add --scope user --transport http ${
        credential === "token" ? `--header "Authorization: Bearer $${variable}" ` : ""
      }${name} ${url}`,
      notes: [credential === "oauth" ? `Sign in with the command /mcp auth ${name}.` : setVariable],
    }),
  },
  codex: {
    title: "Codex",
    fileName: "config.toml",
    locations: inHome(".codex/config.toml"),
    source: "https://developers.openai.com/codex/mcp",
    checkedOn,
    write: (url, credential) => ({
      language: "toml",
      content: [
        `[mcp_servers.${name}]`,
        `url = ${JSON.stringify(url)}`,
        ...(credential === "token" ? [`bearer_token_env_var = "${variable}"`] : []),
        "",
      ].join("\n"),
      command: `codex mcp add ${name} --url ${url}${
        credential === "token" ? ` --bearer-token-env-var ${variable}` : ""
      }`,
      notes: [credential === "oauth" ? `Then sign in: codex mcp login ${name}` : setVariable],
    }),
  },
  "lm-studio": {
    title: "LM Studio",
    fileName: "mcp.json",
    locations: [{ system: "any", path: "Program > Install > Edit mcp.json" }],
    source: "https://lmstudio.ai/docs/app/mcp",
    checkedOn,
    write: (url, credential) => ({
      content: { mcpServers: { [name]: withHeader({ url }, credential, `<${variable}>`) } },
      notes: [
        credential === "oauth"
          ? "The documentation of LM Studio does not say that it signs in. Use a token if it does not."
          : replaceToken,
      ],
    }),
  },
  opencode: {
    title: "OpenCode",
    fileName: "opencode.json",
    locations: inHome(".config/opencode/opencode.json"),
    source: "https://opencode.ai/v2/docs/mcp-servers",
    checkedOn,
    write: (url, credential) => ({
      content: {
        $schema: "https://opencode.ai/config.json",
        mcp: {
          servers: { [name]: withHeader({ type: "remote", url }, credential, `{env:${variable}}`) },
        },
      },
      notes: [
        ...notesFor(credential, setVariable),
        `OpenCode 1 has the entry directly below mcp, without servers.`,
      ],
    }),
  },
};
