import { defineResourceContract } from "../messages/index.ts";

export const contract = defineResourceContract("Groups", {
  noun: "group",
  idExample: "scg_01jz8q2d9xf4vvh0tbq8k3m5na",
  uniqueName: "displayName",
  refusedExample: "one group more than the quota",
  descriptions: {
    create:
      "A mapping of the connector can turn the group into a team or a role. Groups without a mapping are only stored.",
    read: "Its members are left out with `excludedAttributes=members`.",
    replace: "The members become those of the body. Without `members`, they stay as they are.",
    patch: "Adds and removes members, of which there can be many, and renames the group.",
    remove: "Its members lose the team and the role that a mapping gave them.",
  },
});
