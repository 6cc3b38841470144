/** The sample repository, commit by commit. */
interface SampleCommit {
  author: string;
  day: number;
  clock: string;
  message: string;
  changes: Record<string, string>;
}

const triage = `---
name: Issue triage
description: How we label issues and what we ask for.
tags: [issues, support]
owner: platform
---

Read the issue and everything that it links to.

1. Look for an earlier issue about the same thing. If there is one, link it and use the label duplicate.
2. Choose one label: bug, question, hardware, duplicate.
3. Ask for what is missing: the firmware version, the log of the day, a photo of the gripper.

Never close an issue. A person does that.
`;

const notes = `---
name: Release notes
description: What changed, for people who run our robots.
tags: [releases, writing]
---

Write for somebody who operates a warehouse and does not read code.

- One line per change, in the past tense.
- Name the robot model where only one is concerned.
`;

const dependencies = `---
name: Dependency update
description: The text of a pull request that updates packages.
tags: [code]
---

Name each package with the old and the new version. Quote the part of its changelog that concerns us.
If a test had to be changed, say which one and why.
`;

const evaluation = `---
name: Evaluation report
description: A night of the grasping suite on one page.
tags: [models, writing]
suite: grasping
---

Begin with the score and the mean of the last seven nights.
Then the five cases that changed most, each with its picture.
`;

const onCall = `Who is on call answers within fifteen minutes.

1. Look at the telemetry of the robot.
2. If it stands in an aisle, call the site.
3. Write down what was done.
`;

export const commits: readonly SampleCommit[] = [
  {
    author: "Bruno Okafor",
    day: 0,
    clock: "16:12",
    message: "Add templates for triage and release notes",
    changes: {
      "README.md":
        "# Agent templates\n\nWhat our agents are given to work with. Signalbox reads the folder templates.\n",
      "templates/README.md": "One file per template. The front matter has name, description and tags.\n",
      "templates/issue-triage.md": triage,
      "templates/release-notes.md": notes,
    },
  },
  {
    author: "Chiara Rossi",
    day: 3,
    clock: "11:06",
    message: "Release notes: breaking changes come first",
    changes: {
      "templates/release-notes.md": `${notes}- Breaking changes come first, each with what to do about it.\n`,
    },
  },
  {
    author: "Felix Wagner",
    day: 6,
    clock: "14:27",
    message: "Add a template for dependency updates",
    changes: { "templates/code/dependency-update.md": dependencies },
  },
  {
    author: "Elif Demir",
    day: 10,
    clock: "10:31",
    message: "Add the evaluation report and a draft for on-call",
    changes: { "templates/evaluation-report.md": evaluation, "templates/on-call.md": onCall },
  },
  {
    author: "Elif Demir",
    day: 10,
    clock: "10:58",
    message: "Give the on-call template its front matter",
    changes: {
      "templates/on-call.md": `---\nname: On call\ndescription: What to do when a robot stands still.\ntags: [support]\n---\n\n${onCall}`,
    },
  },
  {
    author: "Chiara Rossi",
    day: 15,
    clock: "15:45",
    message: "Triage: ask for the version before choosing a label",
    changes: {
      "templates/issue-triage.md": triage
        .replace(
          "2. Choose one label",
          "2. Without a firmware version, ask for it and use the label needs version.\n3. Choose one label",
        )
        .replace(
          "3. Ask for what is missing: the firmware version, the log",
          "4. Ask for what is missing: the log",
        ),
    },
  },
];
