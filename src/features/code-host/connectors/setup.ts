import { findBaseUrl } from "../code-hosts.ts";
import type { Connector, Setup } from "./contract.ts";

type Step = Setup["steps"][number];
const step = (label: string, value: string | null, hint: string | null = null): Step => ({
  label,
  value,
  hint,
});
const shownOnce =
  "It was shown once, when it was created. If it is lost, create another one: POST …/webhook-secrets.";

/** Describes what to enter at the code host, with its names of the fields. `secret` is known only when it was just created. */
export function describeSetup(connector: Connector, secret: string | null): Setup {
  const { codehost, webhookUrl, access, installationId } = connector;
  const base = findBaseUrl(codehost, connector.baseUrl);
  const page = base ? `${base}/${connector.repository}` : undefined;
  const secretHint = secret ? "Shown once: it cannot be read here again." : shownOnce;
  const permissions = listPermissions(connector);
  switch (codehost) {
    case "github": {
      const app = installationId !== null;
      return {
        page: app ? null : `${page}/settings/hooks/new`,
        steps: [
          step(
            app ? "Webhook URL" : "Payload URL",
            webhookUrl,
            app ? "In the settings of the GitHub App: only its hooks name the installation." : null,
          ),
          ...(app ? [] : [step("Content type", "application/json")]),
          step(app ? "Webhook secret" : "Secret", secret, secretHint),
          step("SSL verification", "Enable SSL verification"),
          app
            ? step("Subscribe to events", "Push, Repository", "Installation events come by themselves.")
            : step(
                "Which events",
                "Pushes, Repositories",
                "“Just the push event” is enough; Repositories also tells of a rename or removal.",
              ),
          step("Active", "on"),
        ],
        permissions,
      };
    }
    case "gitlab":
      return {
        page: `${page}/-/hooks`,
        steps: [
          step("URL", webhookUrl),
          step("Secret token", secret, secretHint),
          step("Trigger", "Push events", "And Tag push events when the connector follows a tag."),
          step("SSL verification", "Enable SSL verification"),
        ],
        permissions,
      };
    case "gitea":
    case "forgejo":
      return {
        page: `${page}/settings/hooks`,
        steps: [
          step("Add webhook", codehost === "gitea" ? "Gitea" : "Forgejo"),
          step("Target URL", webhookUrl),
          step("HTTP method", "POST"),
          step("POST content type", "application/json"),
          step("Secret", secret, secretHint),
          step("Trigger on", "Push events", "Or custom events: Push and Repository."),
          step("Active", "on"),
        ],
        permissions,
      };
    case "bitbucket": {
      // Every server of one's own is Bitbucket Data Center, which has other pages and events than Bitbucket Cloud.
      const isCloud = base === "https://bitbucket.org";
      const [project, name] = connector.repository.split("/");
      return {
        page: isCloud
          ? `${page}/admin/webhooks`
          : `${base}/plugins/servlet/webhooks/projects/${project}/repos/${name}`,
        steps: [
          step("Title", "Signalbox"),
          step("URL", webhookUrl),
          step("Secret", secret, secretHint),
          step("Status", "Active"),
          isCloud
            ? step("Triggers", "Repository push", "And Repository: Updated, which tells of a rename.")
            : step("Events", "Repository: Push", "And Repository: Modified, which tells of a rename."),
        ],
        permissions,
      };
    }
    default:
      return {
        page: null,
        steps: [
          step("URL", webhookUrl, "POST to it from a post-receive hook, in the form of any code host above."),
          step("Content type", "application/json"),
          step("Secret", secret, secretHint),
          step("Without a hook", null, "Nothing to do: heads are compared every few minutes."),
        ],
        permissions,
      };
  }

  function listPermissions({ access: { kind } }: Connector): string[] {
    if (kind === "none") return [];
    if (kind === "github_app")
      return [
        "Repository permissions → Contents: Read-only",
        "Repository permissions → Metadata: Read-only",
        `Installed on ${connector.repository} (installation ${access.installationId ?? installationId})`,
      ];
    return {
      github: ["Fine-grained token, this repository only: Contents: Read-only"],
      gitlab: ["Project or group access token: read_repository, role Reporter or more"],
      gitea: ["Access token: repository: Read"],
      forgejo: ["Access token: repository: Read"],
      bitbucket: ["Repository access token: Repositories: Read"],
      git: ["Whatever lets a clone over HTTP read the repository"],
    }[codehost];
  }
}
