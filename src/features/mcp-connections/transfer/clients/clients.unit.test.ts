import { describe, expect, test } from "vitest";
import { clientNames } from "../contract.ts";
import { createConfiguration } from "./index.ts";

const address = "https://signalbox.example.com";
const url = `${address}/mcp`;
const bearer = (value: string) => ({ headers: { Authorization: `Bearer ${value}` } });
const variable = "SIGNALBOX_MCP_TOKEN";

/** Where each client has its servers, which field has the address, and how a header names the token. */
const formats: Record<string, { around: string[]; entry: object; token: object; more?: object }> = {
  "claude-code": {
    ...{ around: ["mcpServers"], entry: { type: "http", url }, token: bearer(`\${${variable}}`) },
  },
  cursor: { around: ["mcpServers"], entry: { url }, token: bearer(`\${env:${variable}}`) },
  vscode: {
    ...{ around: ["servers"], entry: { type: "http", url }, token: bearer(`\${input:signalbox-token}`) },
    more: { inputs: [{ type: "promptString", id: "signalbox-token", password: true }] },
  },
  windsurf: { around: ["mcpServers"], entry: { serverUrl: url }, token: bearer(`\${env:${variable}}`) },
  zed: { around: ["context_servers"], entry: { url }, token: bearer(`<${variable}>`) },
  "gemini-cli": { around: ["mcpServers"], entry: { httpUrl: url }, token: bearer(`$${variable}`) },
  "lm-studio": { around: ["mcpServers"], entry: { url }, token: bearer(`<${variable}>`) },
  opencode: {
    ...{ around: ["mcp", "servers"], entry: { type: "remote", url }, token: bearer(`{env:${variable}}`) },
  },
};

const wrap = (around: readonly string[], entry: object): object =>
  around.reduceRight<object>((inner, key) => ({ [key]: inner }), { signalbox: entry });

describe("the format that the documentation of each client describes", () => {
  test.each(Object.entries(formats))("%s", (client, { around, entry, token, more = {} }) => {
    const read = (credential: "oauth" | "token") => {
      const { content, language } = createConfiguration(
        client as (typeof clientNames)[number],
        address,
        credential,
      );
      expect(language).toBe("json");
      return JSON.parse(content);
    };
    const signIn = read("oauth");
    expect(signIn).toMatchObject(wrap(around, entry));
    expect(JSON.stringify(signIn)).not.toContain("Bearer");
    expect(read("token")).toMatchObject({ ...wrap(around, { ...entry, ...token }), ...more });
  });

  test("codex: a table of TOML, and the token by the name of a variable", () => {
    const read = (credential: "oauth" | "token") => createConfiguration("codex", address, credential);
    expect(read("oauth")).toMatchObject({
      ...{ language: "toml", content: `[mcp_servers.signalbox]\nurl = "${url}"\n` },
      command: `codex mcp add signalbox --url ${url}`,
    });
    expect(read("token").content).toBe(
      `[mcp_servers.signalbox]\nurl = "${url}"\nbearer_token_env_var = "${variable}"\n`,
    );
  });

  test("claude-desktop: a local command that connects, with the value in the environment", () => {
    const { content } = createConfiguration("claude-desktop", address, "token");
    expect(JSON.parse(content)).toEqual({
      mcpServers: {
        signalbox: {
          command: "npx",
          args: ["-y", "mcp-remote", url, "--header", `Authorization:\${AUTHORIZATION}`],
          env: { AUTHORIZATION: `Bearer <${variable}>` },
        },
      },
    });
  });

  test("claude-ai: the address alone", () => {
    expect(createConfiguration("claude-ai", address, "oauth").content).toBe(`${url}\n`);
  });

  test("every client is one of these, and says where its format is described", () => {
    const others = ["codex", "claude-desktop", "claude-ai"];
    expect([...Object.keys(formats), ...others].toSorted()).toEqual([...clientNames].toSorted());
    for (const client of clientNames)
      expect(createConfiguration(client, address, "oauth")).toMatchObject({
        ...{
          source: expect.stringMatching(/^https:/),
          checkedOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        },
      });
  });
});
