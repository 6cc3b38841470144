import { defineResourceContract } from "../messages/index.ts";

export const contract = defineResourceContract("Users", {
  noun: "user",
  idExample: "scu_01jz8q2d9xf4vvh0tbq8k3m5na",
  uniqueName: "userName",
  refusedExample: "deactivating the last owner",
  descriptions: {
    create:
      "If the e-mail address belongs to a verified domain of the organization, the person becomes a member. A member with this address is linked.",
    read: "Also a user who is not active. `active` is false for a member whom an admin deactivated.",
    replace: "Attributes that the body does not have are removed. Without `active`, it stays as it is.",
    patch: "`active: false` ends the member's sessions, keys and tokens in the organization at once.",
    remove: "The member is deactivated, and only the directory can bring the person back.",
  },
});
