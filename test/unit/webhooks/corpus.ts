/** One body of every event that something can follow from, as far as it matters, and what it says. */
import type { Dialect } from "../../../src/features/webhooks/dialects/index.ts";

const head = "a".repeat(40);
const zeros = "0".repeat(40);
const repository = { id: 186853002, name: "Playbook", full_name: "Acme/Playbook", owner: { login: "Acme" } };
const installation = { id: 4711, account: { login: "Acme" } };
const githubPush = {
  ref: "refs/heads/main",
  before: zeros,
  after: head,
  deleted: false,
  repository,
  commits: [],
};
const project = { id: 15, name: "Playbook", path_with_namespace: "Acme/Playbook" };
const serverRepository = { slug: "playbook", id: 84, project: { key: "PROJ", id: 84 } };

export interface Sample {
  name: string;
  dialect: Dialect;
  event: string;
  body: object;
  says: object;
}

const push = { is: "push", repository: "Acme/Playbook", changes: [{ ref: "refs/heads/main", head }] };
const repositoryIs = (change: string, from: string, to: string | null) => ({
  is: "repository",
  change,
  repository: from,
  to,
});

export const corpus: Sample[] = [
  {
    name: "GitHub push to main",
    dialect: "github",
    event: "push",
    body: { ...githubPush, installation },
    says: push,
  },
  { name: "Gitea push to main", dialect: "gitea", event: "push", body: githubPush, says: push },
  { name: "Forgejo push to main", dialect: "forgejo", event: "push", body: githubPush, says: push },
  ...(["deleted", "suspend", "unsuspend"] as const).map((action) => ({
    name: `GitHub installation ${action}`,
    dialect: "github" as const,
    event: "installation",
    body: { action, installation },
    says: {
      is: "installation",
      change: action === "deleted" ? action : `${action}ed`,
      installationId: "4711",
    },
  })),
  {
    name: "GitHub installation created",
    dialect: "github",
    event: "installation",
    body: { action: "created", installation },
    says: { is: "ignored", reason: "event ignored" },
  },
  {
    name: "GitHub installation without an id",
    dialect: "github",
    event: "installation",
    body: { action: "deleted", installation: {} },
    says: { is: "ignored", reason: "missing installation id" },
  },
  ...(["added", "removed"] as const).map((action) => ({
    name: `GitHub repositories ${action}`,
    dialect: "github" as const,
    event: "installation_repositories",
    body: {
      action,
      installation,
      repositories_added: action === "added" ? [repository] : [],
      repositories_removed: action === "removed" ? [repository] : [],
    },
    says: { is: "installation repositories", change: action, repositories: ["Acme/Playbook"] },
  })),
  {
    name: "GitHub repository renamed",
    dialect: "github",
    event: "repository",
    body: { action: "renamed", repository, changes: { repository: { name: { from: "Handbook" } } } },
    says: repositoryIs("renamed", "Acme/Handbook", "Acme/Playbook"),
  },
  {
    name: "GitHub repository transferred",
    dialect: "github",
    event: "repository",
    body: { action: "transferred", repository, changes: { owner: { from: { user: { login: "ada" } } } } },
    says: repositoryIs("transferred", "ada/Playbook", "Acme/Playbook"),
  },
  {
    name: "GitHub repository deleted",
    dialect: "github",
    event: "repository",
    body: { action: "deleted", repository },
    says: repositoryIs("deleted", "Acme/Playbook", null),
  },
  {
    name: "GitHub repository archived",
    dialect: "github",
    event: "repository",
    body: { action: "archived", repository },
    says: { is: "ignored" },
  },
  {
    name: "Gitea repository deleted",
    dialect: "gitea",
    event: "repository",
    body: { action: "deleted", repository },
    says: repositoryIs("deleted", "Acme/Playbook", null),
  },
  {
    name: "GitLab push to main",
    dialect: "gitlab",
    event: "Push Hook",
    body: { object_kind: "push", ref: "refs/heads/main", after: head, checkout_sha: head, project },
    says: push,
  },
  {
    name: "GitLab system hook push to main",
    dialect: "gitlab",
    event: "System Hook",
    body: { event_name: "push", ref: "refs/heads/main", after: head, project },
    says: push,
  },
  {
    name: "GitLab repository update, push to main",
    dialect: "gitlab",
    event: "System Hook",
    body: {
      event_name: "repository_update",
      changes: [{ before: zeros, after: head, ref: "refs/heads/main" }],
      project,
    },
    says: push,
  },
  {
    name: "GitLab tag",
    dialect: "gitlab",
    event: "Tag Push Hook",
    body: { object_kind: "tag_push", ref: "refs/tags/v1", after: head, project },
    says: { is: "push", changes: [{ ref: "refs/tags/v1", head: null }] },
  },
  ...(["project_rename", "project_transfer"] as const).map((event_name) => ({
    name: `GitLab ${event_name}`,
    dialect: "gitlab" as const,
    event: "System Hook",
    body: { event_name, path_with_namespace: "new/playbook", old_path_with_namespace: "old/sub/playbook" },
    says: repositoryIs(
      event_name === "project_rename" ? "renamed" : "transferred",
      "old/sub/playbook",
      "new/playbook",
    ),
  })),
  {
    name: "GitLab project destroyed",
    dialect: "gitlab",
    event: "Project Hook",
    body: { event_name: "project_destroy", path_with_namespace: "acme/playbook" },
    says: repositoryIs("deleted", "acme/playbook", null),
  },
  {
    name: "Bitbucket push to main",
    dialect: "bitbucket",
    event: "repo:push",
    body: {
      repository: { full_name: "Acme/Playbook" },
      push: { changes: [{ old: null, new: { type: "branch", name: "main", target: { hash: head } } }] },
    },
    says: push,
  },
  {
    name: "Bitbucket repository renamed",
    dialect: "bitbucket",
    event: "repo:updated",
    body: {
      repository: { full_name: "acme/new" },
      changes: { name: { old: "old", new: "new" }, full_name: { old: "acme/old", new: "acme/new" } },
    },
    says: repositoryIs("renamed", "acme/old", "acme/new"),
  },
  {
    name: "Bitbucket repository described",
    dialect: "bitbucket",
    event: "repo:updated",
    body: { repository: { full_name: "acme/new" }, changes: { description: { old: "", new: "x" } } },
    says: { is: "ignored", reason: "event ignored" },
  },
  {
    name: "Bitbucket repository transferred",
    dialect: "bitbucket",
    event: "repo:transfer",
    body: { repository: { full_name: "acme/playbook" }, previous_workspace: { slug: "ada" } },
    says: repositoryIs("transferred", "ada/playbook", "acme/playbook"),
  },
  {
    name: "Bitbucket repository deleted",
    dialect: "bitbucket",
    event: "repo:deleted",
    body: { repository: { full_name: "acme/playbook" } },
    says: repositoryIs("deleted", "acme/playbook", null),
  },
  {
    name: "Bitbucket Data Center refs changed",
    dialect: "bitbucket",
    event: "repo:refs_changed",
    body: {
      eventKey: "repo:refs_changed",
      repository: serverRepository,
      changes: [
        { ref: { id: "refs/heads/main", displayId: "main", type: "BRANCH" }, toHash: head, type: "UPDATE" },
      ],
    },
    says: { is: "push", repository: "PROJ/playbook", changes: [{ ref: "refs/heads/main", head }] },
  },
  {
    name: "Bitbucket Data Center repository renamed",
    dialect: "bitbucket",
    event: "repo:modified",
    body: { old: serverRepository, new: { ...serverRepository, slug: "handbook" } },
    says: repositoryIs("renamed", "PROJ/playbook", "PROJ/handbook"),
  },
];
