import {
  startCallableModernServer,
  startCallableSessionServer,
} from "../../test/fixtures/mcp-servers/callable.ts";

// An MCP server of the official package: with sessions, or of the newest revision with the argument `modern`.
const { url } = await (process.argv[2] === "modern"
  ? startCallableModernServer()
  : startCallableSessionServer({ json: true }));
console.log(`ready at ${url}`);
process.once("SIGTERM", () => process.exit(0));
