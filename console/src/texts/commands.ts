/** The commands of the palette. */
export const commands = {
  automation: "Automation",
  template: "Template",
  newAutomation: "New automation",
  failedRuns: "Runs that failed",
  invite: "Invite someone",
  discover: (url: string) => `Discover ${url}`,
};
