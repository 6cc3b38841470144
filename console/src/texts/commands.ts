/** The commands of the palette. */
export const commands = {
  automation: "Automation",
  template: "Template",
  mcpConnection: "MCP connection",
  addServer: "Add an MCP server",
  addThisServer: (url: string) => `Add the MCP server ${url}`,
  approvals: "Calls that wait for approval",
  mcpCalls: "Call log of MCP connections",
  newAutomation: "New automation",
  failedRuns: "Runs that failed",
  invite: "Invite someone",
  discover: (url: string) => `Discover ${url}`,
};
