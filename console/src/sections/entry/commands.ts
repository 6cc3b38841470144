const post = (address: string, body: string) =>
  `curl -X POST ${address} -H "x-api-key: $KEY" -H "content-type: application/json" -d '${body}'`;

/** The same step from a terminal, where one command does it. */
export function findCommand(step: string, origin: string): string | undefined {
  switch (step) {
    case "discover_server":
      return post(`${origin}/v1/mcp-discoveries`, '{"url":"https://mcp.example.com/mcp"}');
    case "run_automation":
      return 'signalbox automations create --name Triage --instructions "Look at new issues." --daily 09:00';
    case "invite_someone":
      return post(`${origin}/v1/invitations`, '{"email":"grace@example.com","role":"member"}');
    default:
      return undefined;
  }
}
