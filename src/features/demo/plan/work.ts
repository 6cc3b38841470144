import type { Random } from "../random.ts";
import type { PlannedEvent } from "./types.ts";

export type Step = Pick<PlannedEvent, "type" | "payload">;

const createMessage = (text: string): Step => ({ type: "assistant", payload: { text } });
export const createWarning = (text: string): Step => ({ type: "warning", payload: { text } });
const createSearch = (query: string, results: string[]): Step => ({
  type: "capability_search",
  payload: { query, results },
});
const createToolCall = (name: string, input: Record<string, unknown>, result: string): Step => ({
  type: "capability_execution",
  payload: { name, input, result },
});

export interface Failure {
  message: string;
  retryable: boolean;
  /** The steps of the failed attempt. Without them, it has the first steps of the normal work and a warning. */
  steps?: Step[];
}

/** Describes the runs of an automation. */
export interface WorkProfile {
  minutes: [from: number, to: number];
  input: [from: number, to: number];
  output: [from: number, to: number];
  /** The share of the usage that the completion reports, in percent. */
  atEnd: [from: number, to: number];
  failureRate: number;
  failures: Failure[];
  /** Takes the time, because issue numbers increase over time. */
  perform(random: Random, at: number): { steps: Step[]; summary: string };
}

const repositories = ["arm-controller", "fleet-api", "map-server", "picker-ui", "telemetry"];
const packages = ["undici", "pino", "zod", "pg", "protobufjs", "ws", "fast-glob", "yaml"];
const topics = ["the battery status", "a gripper timeout", "the login page", "map imports", "Wi-Fi roaming"];
const areas = ["bin picking", "thin boxes", "wet floor", "glossy labels", "stacked trays"];
const customers = ["Hafen Logistik", "Oakline Foods", "Meridian Parts", "Nordlager", "Castell & Sons"];
const suppliers = ["Kessler Motoren", "Brightwell Sensors", "Ostrava Cable", "Lumen Optics"];

const formatCount = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;
/** An issue number. It increases by two an hour. */
const pickIssueNumber = (at: number) => Math.floor(at / 1_800_000) % 20_000;

export const trackerDown: Failure = {
  message: "The issue tracker answered 503 three times. Nothing was labelled.",
  retryable: true,
  steps: [
    createSearch("issues", ["list_issues", "label_issue", "comment_issue"]),
    createToolCall("list_issues", { state: "open", since: "last run" }, "503 Service Unavailable"),
    createToolCall("list_issues", { state: "open", since: "last run" }, "503 Service Unavailable"),
    createToolCall("list_issues", { state: "open", since: "last run" }, "503 Service Unavailable"),
    createWarning("The issue tracker is down. I stop here."),
  ],
};

/** The failure of invoice checks after the connection is lost. */
export const connectionLost: Failure = {
  message:
    "The connection to Xero needs a person: the provider says that access was withdrawn. Connect again.",
  retryable: false,
  steps: [
    createToolCall("get_token", { provider: "xero" }, "409 connection_needs_reconnect"),
    createMessage("Without a token I cannot read the invoices. Hana Kim has to connect the account again."),
  ],
};

export const workProfiles: Record<string, WorkProfile> = {
  triage: {
    minutes: [2, 9],
    input: [38_000, 120_000],
    output: [2_400, 7_800],
    atEnd: [45, 60],
    failureRate: 0.02,
    failures: [trackerDown],
    perform(random, at) {
      const count = random.int(1, 4);
      const steps = [
        createSearch("issues", ["list_issues", "label_issue", "comment_issue"]),
        createToolCall("list_issues", { state: "open", since: "last run" }, formatCount(count, "new issue")),
      ];
      let duplicates = 0;
      let waiting = 0;
      for (let i = 0; i < count; i++) {
        const number = pickIssueNumber(at) - count + i;
        const topic = random.pick(topics);
        steps.push(createMessage(`#${number} is about ${topic}.`));
        const isDuplicate = random.chance(0.2);
        const isUnclear = !isDuplicate && random.chance(0.35);
        if (isDuplicate) {
          duplicates++;
          steps.push(
            createToolCall("search_issues", { text: topic }, `#${number - random.int(90, 900)} is the same`),
          );
        }
        const label = isDuplicate ? "duplicate" : random.pick(["bug", "question", "hardware"]);
        steps.push(createToolCall("label_issue", { number, label }, "labelled"));
        if (isUnclear) {
          waiting++;
          const text = "Which firmware version is on the robot?";
          steps.push(createToolCall("comment_issue", { number, text }, "posted"));
        }
      }
      const summary = `${formatCount(count, "new issue")}, ${formatCount(duplicates, "duplicate")}, ${waiting} waiting for an answer.`;
      return { steps, summary };
    },
  },
  changelog: {
    minutes: [2, 5],
    input: [22_000, 46_000],
    output: [900, 2_300],
    atEnd: [50, 70],
    failureRate: 0,
    failures: [],
    perform(random, at) {
      const merged = random.int(2, 11);
      return {
        steps: [
          createToolCall(
            "list_pull_requests",
            { state: "merged", since: "yesterday" },
            `${merged} pull requests`,
          ),
          createMessage("Two of them have no text that a customer would understand. I use their titles."),
          createToolCall(
            "open_pull_request",
            { repository: random.pick(repositories) },
            `#${pickIssueNumber(at)}`,
          ),
        ],
        summary: `${merged} entries added to CHANGELOG.md.`,
      };
    },
  },
  evaluation: {
    minutes: [31, 52],
    input: [1_020_000, 1_290_000],
    output: [300_000, 352_000],
    atEnd: [76, 82],
    failureRate: 0,
    failures: [],
    perform(random, at) {
      const area = random.pick(areas);
      const passed = [1, 2, 3, 4, 5, 6, 7].map(() => random.int(52, 59));
      const score = (passed.reduce((sum, one) => sum + one, 0) / 4.2).toFixed(1);
      return {
        steps: [
          createToolCall("latest_checkpoint", { branch: "main" }, `ckpt-${pickIssueNumber(at)}`),
          createMessage("420 cases in the suite. I run them in seven batches."),
          ...passed.map((count, index) =>
            createToolCall("run_batch", { suite: "grasping", batch: index + 1 }, `${count} of 60 passed`),
          ),
          ...(random.chance(0.4)
            ? [createWarning(`Case ${random.int(1, 420)} took longer than 90 seconds and was run again.`)]
            : []),
          createToolCall("read_scores", { nights: 7 }, "7 nights"),
          createMessage(`The largest change is in ${area}.`),
        ],
        summary: `Score ${score} (${random.pick(["+0.2", "+0.4", "-0.1", "-0.3", "0.0"])} against the mean of seven nights). Largest change: ${area}.`,
      };
    },
  },
  dependencies: {
    minutes: [18, 41],
    input: [240_000, 520_000],
    output: [28_000, 61_000],
    atEnd: [35, 55],
    failureRate: 0,
    failures: [],
    perform(random, at) {
      const steps = [
        createSearch("dependencies", ["list_outdated", "edit_file", "run_tests", "open_pull_request"]),
      ];
      let opened = 0;
      for (const [index, repository] of repositories.entries()) {
        const name = random.pick(packages);
        steps.push(createToolCall("list_outdated", { repository }, formatCount(random.int(1, 9), "package")));
        const passes = random.chance(0.85);
        steps.push(
          createToolCall("run_tests", { repository, update: name }, passes ? "passed" : "1 test failed"),
        );
        if (!passes) continue;
        opened++;
        steps.push(
          createToolCall(
            "open_pull_request",
            { repository, title: `Update ${name}` },
            `#${pickIssueNumber(at) + index}`,
          ),
        );
      }
      const majors = random.int(0, 2);
      return {
        steps,
        summary: `5 repositories: ${formatCount(opened, "pull request")}, ${formatCount(majors, "major version")} reported as issues.`,
      };
    },
  },
  advisories: {
    minutes: [3, 8],
    input: [31_000, 88_000],
    output: [1_100, 4_200],
    atEnd: [50, 70],
    failureRate: 0.02,
    failures: [{ message: "The advisory database could not be read: connection reset.", retryable: true }],
    perform(random) {
      const affected = random.chance(0.3) ? random.pick(packages) : undefined;
      return {
        steps: [
          createToolCall(
            "read_lock_files",
            { repositories: repositories.length },
            `${random.int(1_480, 1_560)} packages`,
          ),
          createToolCall("list_advisories", { since: "yesterday" }, `${random.int(3, 24)} advisories`),
          createMessage(
            affected
              ? `One concerns us: ${affected}, only in tests.`
              : "None concerns a version that we use.",
          ),
        ],
        summary: affected
          ? `One advisory concerns us: ${affected}. Only tests use it.`
          : "Nothing concerns us.",
      };
    },
  },
  flaky: {
    minutes: [14, 38],
    input: [110_000, 260_000],
    output: [9_000, 24_000],
    atEnd: [40, 60],
    failureRate: 0.03,
    failures: [
      { message: "The build machine ran out of disk space while running picker-ui.", retryable: true },
    ],
    perform(random) {
      const repository = random.pick(repositories);
      const failed = random.int(1, 6);
      const flaky = random.int(1, 4);
      return {
        steps: [
          createToolCall("list_test_results", { since: "yesterday" }, `${random.int(6_200, 6_900)} results`),
          createMessage(`${formatCount(flaky, "test")} both passed and failed.`),
          createToolCall("run_test", { repository, times: 50 }, `${failed} of 50 failed`),
          createToolCall("run_test", { repository, times: 50 }, `${random.int(0, failed)} of 50 failed`),
          ...(random.chance(0.3)
            ? [createWarning("One test needs a robot on the bench and was left out.")]
            : []),
          createMessage(
            "The failures have a timer in common that is shorter than the slowest machine needs.",
          ),
        ],
        summary: `${formatCount(flaky, "flaky test")}, the worst fails in ${failed} of 50 runs.`,
      };
    },
  },
  links: {
    minutes: [5, 12],
    input: [18_000, 42_000],
    output: [800, 2_600],
    atEnd: [50, 70],
    failureRate: 0.1,
    failures: [{ message: "docs.northwind.example answered 502 for every page.", retryable: true }],
    perform(random) {
      const dead = random.int(0, 6);
      const [pages, links] = [random.int(212, 240), random.int(1_900, 2_300)];
      return {
        steps: [
          createToolCall("read_sitemap", { site: "docs.northwind.example" }, `${pages} pages`),
          createToolCall("check_links", { pages }, `${links} links, ${dead} dead`),
        ],
        summary: `${formatCount(dead, "dead link")} on ${pages} pages.`,
      };
    },
  },
  invoices: {
    minutes: [3, 7],
    input: [26_000, 61_000],
    output: [1_500, 4_400],
    atEnd: [50, 70],
    failureRate: 0,
    failures: [],
    perform(random) {
      const invoices = random.int(9, 31);
      const wrong = random.chance(0.3) ? random.pick(suppliers) : undefined;
      const found = wrong
        ? `The invoice of ${wrong} is ${random.int(2, 9)} % above its order.`
        : "Every amount is within 1 % of its order.";
      return {
        steps: [
          createToolCall("get_token", { provider: "xero" }, "valid for 30 minutes"),
          createToolCall("list_invoices", { day: "yesterday" }, `${invoices} invoices`),
          createToolCall("list_orders", { day: "yesterday" }, `${random.int(invoices, invoices + 6)} orders`),
          createMessage(found),
        ],
        summary: `${invoices} invoices compared. ${found}`,
      };
    },
  },
  support: {
    minutes: [2, 5],
    input: [17_000, 52_000],
    output: [1_200, 3_600],
    atEnd: [50, 70],
    failureRate: 0.02,
    failures: [{ message: "The mailbox is locked by another client.", retryable: true }],
    perform(random) {
      const messages = random.int(4, 26);
      const urgent = random.chance(0.35) ? random.pick(customers) : undefined;
      return {
        steps: [
          createToolCall("list_messages", { folder: "support", since: "last run" }, `${messages} messages`),
          ...(urgent ? [createMessage(`${urgent} has a robot that stands still. That goes first.`)] : []),
          createToolCall("post_message", { channel: "support" }, "posted"),
        ],
        summary: `${messages} messages. ${urgent ? `A robot stands still at ${urgent}.` : "Nothing urgent."}`,
      };
    },
  },
  release: {
    minutes: [5, 14],
    input: [82_000, 190_000],
    output: [6_000, 15_000],
    atEnd: [40, 60],
    failureRate: 0,
    failures: [],
    perform(random, at) {
      const merged = random.int(18, 64);
      const breaking = random.int(1, 3);
      return {
        steps: [
          createSearch("templates", ["release-notes", "issue-triage"]),
          createToolCall("get_template", { slug: "release-notes" }, "found"),
          createToolCall(
            "list_pull_requests",
            { state: "merged", since: "last tag" },
            `${merged} pull requests`,
          ),
          createMessage(
            `${formatCount(breaking, "of them changes", "of them change")} the API. I look at the code to name what breaks.`,
          ),
          createToolCall(
            "read_diff",
            { pullRequest: pickIssueNumber(at) - random.int(30, 300) },
            `${random.int(40, 900)} lines`,
          ),
          createToolCall("write_file", { path: "docs/releases/next.md" }, "written"),
        ],
        summary: `Release notes for ${merged} pull requests, ${formatCount(breaking, "breaking change")}.`,
      };
    },
  },
};
